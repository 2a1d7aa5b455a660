#include "tuner/engine/device/worker/other_processes.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace tuner::engine;

namespace {

const std::map<unsigned, ProcessTable::Process> processes = {
    {100, {1, "tuner"}}, {101, {100, "tuner-worker"}}, {102, {100, "tuner-worker"}}, {4711, {1, "python3"}}};

ProcessTable table(int siblings) {
  ProcessTable result{.self = 101, .parent = 100, .siblings = siblings, .find = {}};
  result.find = [](unsigned pid) -> std::optional<ProcessTable::Process> {
    const auto found = processes.find(pid);
    if (found == processes.end()) return std::nullopt;
    return found->second;
  };
  return result;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("who else computes on the GPU is named; the tuner's own processes are not") {
  CHECK(other_processes(std::vector<unsigned>{101}, table(0)).empty());
  CHECK(other_processes(std::vector<unsigned>{100, 101, 102}, table(1)).empty());
  CHECK(other_processes(std::vector<unsigned>{101, 4711, 102}, table(1)) == Texts{"4711 (python3)"});
  CHECK(other_processes(std::vector<unsigned>{101, 999}, table(0)) == Texts{"999"});
}

TEST_CASE("numbers of another namespace are counted, and our own are taken off") {
  CHECK(other_processes({}, table(0)).empty());
  CHECK(other_processes(std::vector<unsigned>{83412}, table(0)).empty());
  CHECK(other_processes(std::vector<unsigned>{4711}, table(0)).empty());
  CHECK(other_processes(std::vector<unsigned>{83412, 83413}, table(1)).empty());
  CHECK(other_processes(std::vector<unsigned>{83412, 83413, 4711}, table(0)) ==
        Texts{"2 in another container or of another user"});
}

TEST_CASE("this machine's processes can be looked up") {
  const ProcessTable machine = ProcessTable::of_this_machine();
  const auto found = machine.find(static_cast<unsigned>(machine.self));
  REQUIRE(found.has_value());
  CHECK(found->parent == machine.parent);
  CHECK_FALSE(found->name.empty());
  CHECK_FALSE(machine.find(0).has_value());
}
