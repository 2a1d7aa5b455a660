// A program with the rights of another: says what it makes of the environment, one line each. Its argument is a worker
// program.
#include <chrono>
#include <cstdio>
#include <string>

#include "cache/file/location.hpp"
#include "cache/store/wanted_store.hpp"
#include "tuner/error.hpp"
#include "tuner/ground/file_variable.hpp"
#include "tuner/process/spawn.hpp"
#include "tuner/process/system_databases.hpp"
#include "tuner/process/worker_program.hpp"

namespace {

std::string database() {
  try {
    return tuner::cache::locate().decisions.string();
  } catch (const tuner::Error& error) {
    return error.what();
  }
}

std::string variable_of_a_child(const char* program, const std::string& name) {
  tuner::ChildProcess child({.program = program});
  child.channel().send({"environment", name, {}});
  const auto answer = child.channel().receive_until(std::chrono::steady_clock::now() + std::chrono::minutes(2));
  return answer ? answer->body : "no answer";
}

}  // namespace

int main(int argc, char** argv) {
  if (!tuner::has_rights_of_another()) return 77;
  std::printf("database: %s\n", database().c_str());
  std::printf("worker: %s\n", tuner::program_candidates(tuner::kWorkerProgram).front().c_str());
  std::printf("system database: %s\n", tuner::system_databases().empty() ? "none" : "read");
  const tuner::cache::WantedStore list("decisions.db");
  const tuner::cache::Wanted wanted;
  list.record({&wanted, 1}, [](const tuner::cache::Wanted&) { return tuner::cache::WantedSource(); });
  std::printf("list of misses: %s\n", list.list().empty() ? "none" : "written");
  for (const char* const name : {"TUNER_DB", "HOME", "CUDA_VISIBLE_DEVICES"}) {
    std::printf("%s of a child: %s\n", name, argc > 1 ? variable_of_a_child(argv[1], name).c_str() : "");
  }
  return 0;
}
