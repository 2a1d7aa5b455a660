#include "tuner/engine/session/decision_texts.hpp"

#include "cache/records/samples.hpp"
#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

using cache::DecisionText;
using cache::TextKind;

/// saxpy in a folder, with a header of the user's and one of the tuner's.
Task with_headers() {
  const std::string first = "#pragma tuner kernel";
  const std::string text = kernel_with(first, "#include <cstdint>\n#include \"half.cuh\"\n" + first);
  KernelDescription description = parse_descriptions(text, "kernels/saxpy.cu").front();
  description.given_headers = {{"half.cuh", "// half\n"}};
  return Task(std::move(description), {{"n", 1000}}, known_device("H200"));
}

std::vector<DecisionText> stored(const Laboratory& laboratory, std::initializer_list<TextKind> kinds) {
  REQUIRE(laboratory.decided());
  std::vector<DecisionText> texts = laboratory.store.find_texts(laboratory.decided()->row);
  std::erase_if(
      texts, [&](const DecisionText& text) { return std::find(kinds.begin(), kinds.end(), text.kind) == kinds.end(); });
  return texts;
}

TEST_CASE("a session stores the source with the user's headers, and what the race measured of each finalist") {
  Laboratory laboratory(with_headers(), ordinary);
  const TuneReport report = laboratory.tune();
  const auto source = stored(laboratory, {TextKind::source, TextKind::header});
  REQUIRE(source.size() == 2);
  CHECK(source[0] == DecisionText{TextKind::source, "saxpy.cu", laboratory.task.description().source});
  CHECK(source[1] == DecisionText{TextKind::header, "half.cuh", "// half\n"});

  const auto samples = stored(laboratory, {TextKind::samples});
  REQUIRE(report.finalists.size() > 1);
  REQUIRE(samples.size() == report.finalists.size());
  for (const FinalistReport& finalist : report.finalists) {
    CHECK_FALSE(finalist.samples_ns.empty());
    const DecisionText expected{TextKind::samples, finalist.configuration, cache::to_json(finalist.samples_ns)};
    CHECK(std::count(samples.begin(), samples.end(), expected) == 1);
  }
}

TEST_CASE("a session that is told so stores no source, and nor does a replay") {
  Laboratory told(with_headers(), ordinary), replay(with_headers(), ordinary);
  told.tune({.keeps_source = false});
  replay.tune({.origin = cache::Origin::replay});
  for (const Laboratory* laboratory : {&told, &replay}) {
    CHECK(stored(*laboratory, {TextKind::source, TextKind::header}).empty());
    CHECK_FALSE(stored(*laboratory, {TextKind::samples}).empty());
  }
}

TEST_CASE("texts that cannot be stored cost one warning and not the decision") {
  struct NoTexts final : cache::MemoryStore {
    void record_texts(std::int64_t, std::span<const DecisionText>) override {
      throw Error(Errc::store_unavailable, "The disk is full.");
    }
  } store;
  Laboratory laboratory;
  const SessionParts parts{laboratory.compile, laboratory.device, store, nullptr, laboratory.observer, laboratory.stop};
  const TuneReport report = run_session(laboratory.task, {}, parts);
  CHECK(report.stored.everything());
  CHECK(store.find_decision(laboratory.task.key("cold")));
  REQUIRE(laboratory.observer.warnings.size() == 1);
  CHECK(laboratory.observer.warnings.front().starts_with("The disk is full. The decision is stored, but"));
}

}  // namespace
}  // namespace tuner::engine
