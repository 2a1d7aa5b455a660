#include "bench/engine/laboratory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <utility>

#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/lanes/call.hpp"
#include "tuner/error.hpp"

namespace tuner::bench {

Laboratory::Laboratory()
    : compile_({}, never_, [](std::size_t, std::size_t) {}), device_(engine::DeviceLaneOptions{}) {}

engine::CompileReply Laboratory::compile(engine::CompileRequest request) {
  return *compile_.compile({std::move(request)}).front();
}

void Laboratory::require(const engine::DeviceReply& reply, const char* what) const {
  if (reply.outcome != Outcome::ok) {
    throw Error(Errc::device_lost, fmt::format("{} failed with {}: {}", what, to_string(reply.outcome), reply.message));
  }
}

void Laboratory::prepare(const Task& task, Timing mode) {
  task_ = &task;
  candidates_.emplace(task, cache::Trial{});
  engine::PrepareProblem problem;
  problem.arguments = task.arguments_with_data();
  problem.deterministic = task.description().deterministic;
  problem.mode = mode;
  problem.launch_timeout = std::chrono::seconds(10);  // nobody else waits for it
  for (const std::string& source : device_.support_sources()) {
    problem.support_cubins.push_back(
        compile(engine::support_request(source, task.device().architecture())).cubin.bytes);
  }
  require(engine::call(device_, std::move(problem)), "Preparing the problem");

  const engine::EntryId baseline = candidates_->add(task.baseline().value());
  candidates_->compiled(baseline, compile(candidates_->request(baseline)));
  const engine::DeviceReply reply = engine::call(device_, engine::RunReference{candidates_->candidate(baseline), {}});
  require(reply, "The baseline");
  candidates_->ran(baseline, reply);
}

std::vector<engine::EntryId> Laboratory::add(const std::vector<search::Configuration>& configurations) {
  std::vector<engine::EntryId> added, compiled, usable;
  std::vector<engine::CompileRequest> requests;
  for (const search::Configuration& configuration : configurations) {
    const auto entry = candidates_->ask(configuration);
    added.push_back(entry.value_or(engine::EntryId()));  // or the baseline
    if (!entry) continue;
    compiled.push_back(*entry);
    requests.push_back(candidates_->request(*entry));
  }
  auto replies = compile_.compile(std::move(requests));
  for (std::size_t i = 0; i < compiled.size(); ++i) candidates_->compiled(compiled[i], *std::move(replies[i]));
  for (const engine::EntryId entry : added) {
    if (!candidates_->has_binary(entry) || candidates_->original(entry) != entry) continue;
    if (!(*candidates_)[entry].finished) {
      candidates_->ran(entry,
                       engine::call(device_, engine::ScreenCandidate{candidates_->candidate(entry), {}, std::nullopt}));
    }
    if ((*candidates_)[entry].trial.outcome == Outcome::ok) usable.push_back(entry);
  }
  return usable;
}

void Laboratory::load(const std::vector<engine::EntryId>& entries) {
  engine::LoadFinalists finalists;
  for (const engine::EntryId entry : entries) finalists.candidates.push_back(candidates_->candidate(entry));
  require(engine::call(device_, std::move(finalists)), "Loading the candidates");
  loaded_ = entries.size();
}

std::vector<double> Laboratory::run_block() {
  engine::RunBlock block;
  block.order.resize(loaded_);
  std::iota(block.order.begin(), block.order.end(), std::size_t{0});
  std::shuffle(block.order.begin(), block.order.end(), std::mt19937_64(++blocks_));
  const std::vector<std::size_t> order = block.order;
  const engine::DeviceReply reply = engine::call(device_, std::move(block));
  require(reply, "A block");
  const std::vector<double>& taken = reply.result_of<engine::RunBlock>().samples_ns;
  std::vector<double> samples(loaded_);
  for (std::size_t i = 0; i < loaded_; ++i) samples[order[i]] = taken.at(i);
  return samples;
}

Task make_task(const std::filesystem::path& file, const std::string& problem, const std::vector<std::string>& where,
               const DeviceInfo& device) {
  return Task(load_description(file, ""), parse_problem(problem), device, where);
}

}  // namespace tuner::bench
