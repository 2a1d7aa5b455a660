#include "tests/attack/job_program.hpp"

#include <cstdio>

#include "cache/file/packed_text.hpp"
#include "tests/attack/job_damage.hpp"
#include "tests/attack/text_damage.hpp"
#include "tests/runtime/machine.hpp"
#include "tests/support/files.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/compile_fields.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/job/package.hpp"
#include "tuner/fleet/job/sha256.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

/// Without what packing refuses: whoever means harm writes to the queue himself, with an identity that fits.
fleet::Package package_of(const HostileJob& job, const fs::path& folder) {
  fleet::Package package;
  const auto carry = [&](const std::string& name, const std::string& content) {
    fleet::CarriedFile file{name, fleet::sha256(content)};
    package.contents[file.hash] = content;
    return file;
  };
  package.spec = {.kernel = "scale", .identity = "none", .problem = job.problem};
  package.spec.source = carry("scale.cu", job.source);
  std::vector<Header> headers;
  for (const auto& [name, content] : job.headers) {
    package.spec.headers.push_back(carry(name, content));
    headers.push_back({name, content});
  }
  for (const auto& [name, content] : job.data) package.spec.data.push_back(carry(name, content));
  try {
    KernelDescription kernel = parse_descriptions(job.source, folder / "scale.cu").at(0);
    package.spec.kernel = full_name(kernel);
    kernel.given_headers = std::move(headers);
    package.spec.identity = kernel_identity(kernel, quoted_headers(kernel, {}));
  } catch (const std::exception&) {  // the worker says why
  }
  return package;
}

void work_off(const fleet::Package& package, const fs::path& sandbox) {
  const Task task(fleet::unpack_job(package, sandbox / "job"), parse_problem(package.spec.problem),
                  test::task_of({}).device());
  const engine::CompileRequest request = engine::compile_request(task, task.space().defaults());
  task.arguments_with_data();
  test::write_bytes(sandbox / "out/request", cache::packed(request));
}

}  // namespace

int work_off_job(std::uint64_t bits, const fs::path& sandbox) {
  Chance chance(bits, "job", 0);
  fleet::Package package = package_of(hostile_job(chance, sandbox), sandbox / "job");
  try {
    std::string text = fleet::to_json(package.spec);
    if (chance.once_in(6)) text = damage_json(chance, std::move(text));
    package.spec = fleet::job_from_json(text);
    work_off(package, sandbox);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
  return 0;
}

}  // namespace tuner::attack
