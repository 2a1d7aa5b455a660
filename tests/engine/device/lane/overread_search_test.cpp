#include "tuner/engine/device/lane/overread_search.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

using namespace tuner;
using namespace tuner::engine;

namespace {

BoundArgument buffer(const std::string& name, std::uint64_t length, Argument::Role role = Argument::Role::in) {
  BoundArgument argument;
  argument.name = name;
  argument.role = role;
  argument.length = length;
  return argument;
}

/// A kernel whose reads over edges are known, in place of the device and its workers.
struct Kernel {
  std::vector<BoundArgument> arguments{buffer("a", 1000),
                                       buffer("b", 4096, Argument::Role::inout),
                                       buffer("c", 0, Argument::Role::scratch),
                                       buffer("n", 0, Argument::Role::scalar),
                                       buffer("d", 77),
                                       buffer("e", 512, Argument::Role::out)};
  std::map<std::pair<std::size_t, FenceSide>, std::uint64_t> reads;  ///< by argument and side
  std::uint64_t access = 4;                                          ///< bytes
  std::size_t writes = 99;                                           ///< the input that it writes to
  int launches = 0, faults = 0;

  ProbeEnd launch(const FenceProbe& probe) {
    ++launches;
    const std::uint64_t bytes = probe.argument == 2 ? 64 * 4 : arguments[probe.argument].length * 4;
    // Where its data begins, counted from the fence, which is at a multiple of everything.
    if (probe.side != FenceSide::inside) {
      const std::uint64_t from_fence = probe.side == FenceSide::behind ? probe.gap + bytes : probe.gap;
      CHECK(from_fence % probe.alignment == 0);
      const auto read = reads.find({probe.argument, probe.side});
      if (read != reads.end() && from_fence % access != 0) return ProbeEnd::misaligned;
      if (read != reads.end() && read->second > probe.gap) return ProbeEnd::fault;
      return ProbeEnd::normal;
    }
    return probe.argument == writes ? ProbeEnd::fault : ProbeEnd::normal;
  }

  OverreadSearch search() {
    Candidate candidate;
    candidate.scratch_lengths = {64};
    OverreadSearch search(arguments, candidate);
    for (int requests = 0; !search.probes().empty(); ++requests) {
      REQUIRE(requests < 200);
      std::size_t passed = 0;
      ProbeEnd end = ProbeEnd::normal;
      for (const FenceProbe& probe : search.probes()) {
        end = launch(probe);
        if (end != ProbeEnd::normal) break;
        ++passed;
      }
      if (end != ProbeEnd::normal) ++faults;
      search.take(passed, end);
    }
    return search;
  }
};

}  // namespace

TEST_CASE("buffer, side and bytes of a read are found with few launches that end a worker") {
  for (const std::size_t argument : {0, 1, 2, 5}) {
    for (const FenceSide side : {FenceSide::behind, FenceSide::before}) {
      for (const auto& [bytes, text, most_faults] :
           {std::tuple(4, "4 bytes", 1), std::tuple(100, "100 bytes", 3), std::tuple(40000, "40,000 bytes", 6)}) {
        Kernel kernel;
        kernel.reads[{argument, side}] = static_cast<std::uint64_t>(bytes);
        const OverreadSearch search = kernel.search();
        const std::string& name = kernel.arguments[argument].name;
        CHECK(search.found() ==
              "It reads " + std::string(text) + (side == FenceSide::behind ? " behind `" : " before `") + name + "`");
        CHECK(kernel.faults <= most_faults);
        CHECK(kernel.launches < 120);
        CHECK(search.way_out() == "Correct it, or allow such reads with `pad " + std::to_string(bytes) +
                                      "` in the directive of `" + name + "` (Padding in a T1 file; `--pad " + name +
                                      "=" + std::to_string(bytes) + "` for one call of `tuner tune`).");
      }
    }
  }
}

TEST_CASE("every distance is found, and not one byte more or less than accesses have") {
  for (std::uint64_t bytes = 4; bytes < 3000; bytes += 4) {
    Kernel kernel;
    kernel.reads[{1, FenceSide::behind}] = bytes;
    const std::string name = kernel.search().way_out();
    CHECK(name.find("`pad " + std::to_string(bytes) + "`") != std::string::npos);
  }
}

TEST_CASE("several edges are named together, each with its bytes, and one padding serves both sides of a buffer") {
  Kernel kernel;
  kernel.reads = {{{0, FenceSide::behind}, 100}, {{0, FenceSide::before}, 8}, {{5, FenceSide::before}, 4}};
  const OverreadSearch search = kernel.search();
  CHECK(search.found() == "It reads 100 bytes behind `a`, 8 bytes before `a` and 4 bytes before `e`");
  CHECK(search.way_out() ==
        "Correct it, or allow such reads with `pad 100` in the directive of `a` and `pad 4` in the directive of `e` "
        "(Padding in a T1 file; `--pad a=100 --pad e=4` for one call of `tuner tune`).");
}

TEST_CASE("accesses that need more than the type's alignment give the bytes to within that") {
  Kernel kernel;
  kernel.access = 16;
  kernel.reads[{0, FenceSide::behind}] = 100;
  CHECK(kernel.search().found() == "It reads at most 112 bytes behind `a` (found in steps of 16, its alignment)");
}

TEST_CASE("a declared alignment is kept, and what is read within it is not seen") {
  Kernel kernel;
  kernel.arguments[0].alignment = 256;
  kernel.reads[{0, FenceSide::before}] = 300;
  CHECK(kernel.search().found() == "It reads at most 512 bytes before `a` (found in steps of 256, its alignment)");
  kernel.reads = {{{0, FenceSide::behind}, 96}};  // 4000 bytes
  CHECK(kernel.search().found().empty());
}

TEST_CASE("what reaches farther than any probe is said to be that far, and no padding is proposed") {
  Kernel kernel;
  kernel.reads[{1, FenceSide::behind}] = 5000000;
  const OverreadSearch search = kernel.search();
  CHECK(search.found() == "It reads more than 2,097,152 bytes behind `b`");
  CHECK(search.way_out() == "Correct it, or the length that is described.");
}

TEST_CASE("a padding is not enough, and the distance is counted from the data") {
  Kernel kernel;
  kernel.arguments[0].padding = 64;
  kernel.reads[{0, FenceSide::behind}] = 64;
  CHECK(kernel.search().found().empty());
  kernel.reads[{0, FenceSide::behind}] = 100;
  CHECK(kernel.search().found() == "It reads 100 bytes behind `a` (it has a padding of 64)");
}

TEST_CASE("where no read is found, the input that is written to is named") {
  Kernel kernel;
  CHECK(kernel.search().found().empty());
  kernel.writes = 4;
  const OverreadSearch search = kernel.search();
  CHECK(search.found() == "It writes to its input `d` what is there already");
  CHECK(search.way_out() == "Correct it, or declare `d` as inout.");
}
