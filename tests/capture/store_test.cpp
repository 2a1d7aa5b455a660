// Launches of a program with the fake driver and a fake CUPTI, stored by the injected library.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/capture/adding.hpp"
#include "tuner/capture/capture.hpp"
#include "tuner/capture/stored/received_launch.hpp"
#include "tuner/capture/stored/unstored.hpp"

using namespace tuner;
using namespace tuner::capture;
using namespace std::chrono_literals;

namespace {

const std::atomic<bool> not_interrupted = false;

struct Stored {
  Profile profile;
  std::map<std::size_t, std::unique_ptr<ReceivedLaunch>> launches;  ///< by what was wanted

  const Snapshot& snapshot(std::size_t wanted = 0) const { return *launches.at(wanted)->snapshot(); }
  /// The numbers of an allocation.
  std::vector<int> numbers(std::span<const std::byte> file, std::size_t allocation, std::size_t wanted = 0) const {
    const Memory& memory = snapshot(wanted).allocations.at(allocation);
    std::vector<int> numbers(memory.size / sizeof(int));
    std::memcpy(numbers.data(), file.data() + memory.offset, numbers.size() * sizeof(int));
    return numbers;
  }
};

Stored stored_of(std::vector<std::string> words, std::vector<WantedLaunch> wanted = {{.ordinal = 1}},
                 std::uint64_t limit = 1 << 20, const std::string& kernel = test::Adding::kKernel) {
  words.insert(words.begin(), TUNER_CAPTURED_PROGRAM);
  Stored stored;
  const auto take = [&](SentLaunch sent) {
    stored.launches[sent.wanted] =
        std::make_unique<ReceivedLaunch>(std::move(sent.records), std::move(sent.before), std::move(sent.after), limit);
    return true;
  };
  stored.profile =
      store_launches({.command = std::move(words), .randomise = true, .patience = 1h, .grace = 1h},
                     {.name = kernel, .limit = limit, .launches = std::move(wanted)}, take, not_interrupted);
  return stored;
}

}  // namespace

TEST_CASE("a stored launch has its memory before and after") {
  const Stored stored = stored_of({"adds"});
  REQUIRE(stored.launches.size() == 1);
  CHECK(stored.profile.troubles.empty());
  CHECK(stored.profile.status.code == 0);
  const Snapshot& snapshot = stored.snapshot();
  CHECK(snapshot.kernel == test::Adding::kKernel);
  CHECK(snapshot.launch.ordinal == 1);
  CHECK(snapshot.parameters.size() == 3);
  REQUIRE(snapshot.allocations.size() == 2);
  const ReceivedLaunch& launch = *stored.launches.at(0);
  const std::vector<int> more = stored.numbers(launch.before(), 1);
  std::vector<int> sums = stored.numbers(launch.before(), 0);
  for (std::size_t i = 0; i < test::Adding::kCount; ++i) sums[i] += more[i];
  CHECK(stored.numbers(launch.after(), 0) == sums);
  CHECK(stored.numbers(launch.after(), 1) == more);
}

TEST_CASE("launches are chosen by their number, and each is what the program then had") {
  const Stored stored = stored_of({"adds"}, {{.ordinal = 1}, {.ordinal = 3}, {.ordinal = 1000}});
  REQUIRE(stored.launches.size() == 2);
  CHECK(stored.snapshot(0).launch.ordinal == 1);
  CHECK(stored.snapshot(1).launch.ordinal == 3);
  CHECK(stored.numbers(stored.launches.at(0)->before(), 0) != stored.numbers(stored.launches.at(1)->before(), 0));
}

TEST_CASE("a launch is stored however the program makes it") {
  for (const char* const way :
       {"extra", "extended", "cooperative", "per_thread", "lazily", "middle", "adds_in_threads"}) {
    CAPTURE(way);
    const Stored stored = stored_of({way});
    CHECK(stored.profile.status.code == 0);
    REQUIRE(stored.launches.size() == 1);
    const Snapshot& snapshot = stored.snapshot();
    REQUIRE(snapshot.parameters.size() == 3);
    CHECK(snapshot.parameters[2].bytes.size() == sizeof(int));
    CHECK((snapshot.launch.cooperative != 0) == (std::string(way) == "cooperative"));
  }
}

TEST_CASE("variables of the module are stored as memory is") {
  const Stored stored = stored_of({"variable"});
  REQUIRE(stored.launches.size() == 1);
  REQUIRE(stored.snapshot().variables.size() == 1);
  const Memory& step = stored.snapshot().variables.front();
  CHECK(step.name == "step");
  const ReceivedLaunch& launch = *stored.launches.at(0);
  CHECK(std::memcmp(launch.before().data() + step.offset, launch.after().data() + step.offset, step.size) != 0);
}

TEST_CASE("of two kernels of one name each launch has its own module, if they were loaded one after the other") {
  const Stored stored = stored_of({"twins"}, {{.ordinal = 3}, {.ordinal = 6}});
  CHECK(stored.profile.status.code == 0);
  CHECK(stored.profile.troubles.empty());
  REQUIRE(stored.launches.size() == 2);
  CHECK(stored.snapshot(0).variables.empty());
  CHECK(stored.snapshot(1).variables.size() == 1);
  const Stored together = stored_of({"twins_together"});
  CHECK(together.profile.status.code == 0);
  CHECK(together.launches.empty());
  REQUIRE(!together.profile.troubles.empty());
  CHECK(together.profile.troubles.front().find("several modules have a kernel of this name") != std::string::npos);
}

TEST_CASE("memory that cannot be stored yet is named, and the program runs on") {
  for (const auto& [way, named] : {std::pair{"managed", "managed memory"}, {"pooled", "memory of a pool"}}) {
    const Stored stored = stored_of({way});
    CHECK(stored.launches.empty());
    CHECK(stored.profile.status.code == 0);
    REQUIRE(!stored.profile.troubles.empty());
    CHECK(stored.profile.troubles.front().find(named) != std::string::npos);
  }
}

TEST_CASE("a variable that leads to memory that cannot be stored yet is named") {
  const Stored stored = stored_of({"variable_to_managed"}, {{.ordinal = 1}}, 4 << 20);
  CHECK(stored.profile.status.code == 0);
  CHECK(stored.launches.empty());
  REQUIRE(!stored.profile.troubles.empty());
  CHECK(stored.profile.troubles.front().find("a variable of its module leads to managed memory") != std::string::npos);
}

TEST_CASE("words in memory that lead to memory that cannot be stored yet are counted, searched for or not") {
  for (const auto& [way, kind] : {std::pair{"pointer_to_managed", "managed memory (cudaMallocManaged)"},
                                  {"pointer_to_pooled", "memory of a pool (cudaMallocAsync)"}}) {
    for (const std::uint64_t limit : {4 << 20, 100000}) {
      CAPTURE(way);
      CAPTURE(limit);
      const Stored stored = stored_of({way}, {{.ordinal = 1}}, limit);
      REQUIRE(stored.launches.size() == 1);
      CHECK(stored.snapshot().allocations.size() == (limit > 100000 ? 3 : 2));
      const std::vector<UnstoredMemory> unstored = unstored_memory(stored.snapshot(), stored.launches.at(0)->before());
      REQUIRE(unstored.size() == 1);
      CHECK(unstored[0].kind == kind);
      CHECK(unstored[0].size == 1 << 16);
      CHECK(unstored[0].words == 1);
    }
  }
}

TEST_CASE("a launch that waits for a later one goes on, and is not stored") {
  const Stored stored = stored_of({"waits"}, {{.ordinal = 1}}, 1 << 20, "_Z5waitsPi");
  CHECK(stored.profile.status.code == 0);
  CHECK(stored.launches.empty());
  REQUIRE(!stored.profile.troubles.empty());
  CHECK(stored.profile.troubles.front().find("may wait for a later launch") != std::string::npos);
}

TEST_CASE("a launch while another thread captures a stream is left alone, and the graph stays whole") {
  const Stored stored = stored_of({"adds_beside_capture"});
  CHECK(stored.profile.status.code == 0);
  if (stored.launches.empty()) {
    REQUIRE(!stored.profile.troubles.empty());
    CHECK(stored.profile.troubles.front().find("captured a stream") != std::string::npos);
  }
}

TEST_CASE("launches that a graph records are none") {
  const Stored stored = stored_of({"adds_in_graph"});
  CHECK(stored.profile.status.code == 0);
  CHECK(stored.launches.empty());
}

TEST_CASE("where not everything fits the limit, what the parameters lead to is stored") {
  const Stored stored = stored_of({"adds_beside_others"}, {{.ordinal = 1}}, 100000);
  REQUIRE(stored.launches.size() == 1);
  REQUIRE(stored.snapshot().allocations.size() == 2);
  const ReceivedLaunch& launch = *stored.launches.at(0);
  CHECK(stored.numbers(launch.before(), 0) !=
        stored.numbers(launch.after(), 0));  // by address, however they were found
  CHECK(stored.numbers(launch.before(), 1) == stored.numbers(launch.after(), 1));
}

TEST_CASE("what the parameters lead to and is above the limit is not stored") {
  const Stored all = stored_of({"adds"});
  const std::uint64_t needed = all.launches.at(0)->before().size();
  const Stored stored = stored_of({"adds"}, {{.ordinal = 1}}, needed / 4);
  CHECK(stored.launches.empty());
  REQUIRE(!stored.profile.troubles.empty());
  CHECK(stored.profile.troubles.front().find("--limit") != std::string::npos);
}

TEST_CASE("a variable above the limit is refused, and the program runs on") {
  const Stored stored = stored_of({"variable"}, {{.ordinal = 1}}, 1);
  CHECK(stored.profile.status.code == 0);
  CHECK(stored.launches.empty());
  REQUIRE(!stored.profile.troubles.empty());
  CHECK(stored.profile.troubles.front().find("--limit") != std::string::npos);
}
