// Decisions as bytes: what one Runtime serves, served by others.
#include <algorithm>
#include <random>

#include "cache/file/location.hpp"
#include "cache/store/binary_store.hpp"
#include "tests/runtime/machine.hpp"
#include "tests/support/errors.hpp"
#include "tuner/runtime/frozen_answers.hpp"
#include "tuner/runtime/instance_state.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

using Bytes = std::vector<std::byte>;

const std::string kWinner = Stored{}.configuration;
const std::string kLater = "BLOCK=512,ITEMS=1,STORE=plain";

/// A program that was served a winner, that of a near size, and a baseline.
struct Served : Program {
  explicit Served(RuntimeOptions runtime_options = {}) : Program(std::move(runtime_options)) {
    tuned();
    compile({.configuration = kWinner, .problem = "rows=110,columns=1000"});
    compile({.configuration = kBaseline, .problem = "rows=9000,columns=1000"});
    REQUIRE(request().rung() == Rung::exact);
    REQUIRE(request({110, 1000}).rung() == Rung::near_size);
    REQUIRE(request({9000, 1000}).rung() == Rung::baseline);
  }
  Bytes with_binaries() const { return runtime.frozen(FrozenBinaries::included); }
};

/// Another machine, with nothing on it, and a program there that was sent these bytes.
struct Receiver : Machine {
  explicit Receiver(const Bytes& bytes, RuntimeOptions runtime_options = {})
      : runtime(Runtime::from_frozen(bytes, options(std::move(runtime_options)))), kernel(runtime.kernel(wave())) {}
  const Instance& request(std::initializer_list<ProblemValue> problem = {100, 1000}) const {
    return kernel.request(problem);
  }
  Runtime runtime;
  Kernel kernel;
};

/// What a Runtime of a GPU like this would have frozen, had it served this configuration.
Bytes frozen_on(const DeviceInfo& device, const std::string& configuration = kWinner, Rung rung = Rung::exact) {
  FrozenAnswer answer;
  answer.key = task_of({.device = device}).key("cold");
  answer.provenance.rung = rung;
  answer.provenance.configuration = configuration;
  FrozenAnswers answers;
  answers.add(std::move(answer));
  return answers.bytes();
}

std::string refusal_of(const Bytes& bytes, Errc code) {
  return error_of(code, [&] { Runtime::from_frozen(bytes); });
}

/// The bytes with a valid hash over what is changed, as from somebody who forges them.
Bytes forged(const Bytes& bytes, const std::function<void(std::string&)>& change) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t hash = text.find('\n') + 1;
  std::string packed = text.substr(hash + 32);
  change(packed);
  text = text.substr(0, hash) + cache::content_hash(packed).text + packed;
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace

TEST_CASE("what one program serves is served by another that has nothing but the bytes") {
  const Served sender;
  Receiver receiver(sender.with_binaries(), {.never_tune = true});
  for (const int rows : {100, 110, 9000}) {
    const Provenance sent = sender.request({rows, 1000}).provenance();
    const Instance& instance = receiver.request({rows, 1000});
    const Provenance got = instance.provenance();
    INFO(got.why);
    CHECK(got.rung == sent.rung);
    CHECK(got.configuration == sent.configuration);
    CHECK(got.why == "Frozen: " + sent.why);
    CHECK(got.speedup == sent.speedup);
    CHECK(got.expected_time == sent.expected_time);
    CHECK(got.problem == sent.problem);
    CHECK(got.ties == sent.ties);
    CHECK(got.database.empty());
    CHECK(got.decision_id == 0);
    CHECK(launched(instance) == sent.configuration);
    CHECK(instance.snapshot().shape.block[0] == sender.request({rows, 1000}).snapshot().shape.block[0]);
  }
  CHECK(receiver.notices().empty());
  CHECK_FALSE(std::filesystem::exists(receiver.home()));
  CHECK(receiver.runtime.frozen(FrozenBinaries::included).size() > 0);
}

TEST_CASE("what was frozen is served whatever is stored, and what was not is the baseline") {
  const Served sender;
  const Bytes bytes = sender.with_binaries();
  Receiver receiver(bytes);
  receiver.tuned({.configuration = kLater});
  receiver.tuned({.configuration = kLater, .problem = "rows=200,columns=1000"});
  CHECK(launched(receiver.request()) == kWinner);
  check_baseline_serves(receiver.request({200, 1000}), "The frozen decisions have none for TYPE=float,columns=1000");
  // Nor does a start keep anything of them.
  Runtime later(receiver.options());
  CHECK(later.kernel(wave()).request({100, 1000}).provenance().configuration == kLater);
}

TEST_CASE("without binaries in the bytes they come from the databases of who reads them") {
  const Served sender;
  const Bytes bytes = sender.runtime.frozen();
  CHECK(bytes.size() < sender.with_binaries().size());
  Receiver receiver(bytes);
  receiver.compile({});
  CHECK(launched(receiver.request()) == kWinner);
  // Where it is not there, and nothing compiles, the baseline serves; that has a binary in this case.
  Receiver without(bytes);
  without.compile({.configuration = kBaseline});
  check_baseline_serves(without.request(), "No usable binary of " + kWinner);
}

TEST_CASE("a binary that is stored no more is found where the program started from, and else left out") {
  Served sender;
  std::filesystem::remove(cache::locate(sender.home()).binaries);
  const Bytes bytes = Runtime(sender.options()).frozen();  // of nothing
  CHECK(FrozenAnswers::from(bytes).find(task_of({}).key("cold")) == nullptr);
  const FrozenAnswers answers = FrozenAnswers::from(sender.with_binaries());
  const FrozenAnswer* const exact = answers.find(task_of({}).key("cold"));
  REQUIRE(exact != nullptr);
  CHECK(exact->binary.bytes.size() > 0);  // of served.db
  const FrozenAnswer* const near = answers.find(task_of({.problem = "rows=110,columns=1000"}).key("cold"));
  REQUIRE(near != nullptr);
  CHECK(near->binary.bytes.empty());
  const auto said = sender.heard(Notice::Kind::engine);
  CHECK(std::ranges::any_of(
      said, [](const std::string& sentence) { return contains(sentence, "is left out of the frozen decisions"); }));
}

TEST_CASE("a frozen program never tunes, whatever it and TUNER_MODE say") {
  const Served sender;
  const Bytes bytes = sender.with_binaries();
  for (const char* told : {"", "off", "background", "tune", "fastest"}) {
    const Variable variable("TUNER_MODE", told);
    Receiver receiver(bytes, {.mode = Mode::tune});
    CHECK(receiver.runtime.mode() == Mode::cache);
    CHECK(receiver.request().rung() == Rung::exact);
    CHECK(receiver.request({9000, 1000}).rung() == Rung::baseline);
    CHECK(receiver.runtime.wait_for_tuning(std::chrono::milliseconds(0)));
    CHECK(receiver.notices().empty());
  }
}

TEST_CASE("what is frozen is what is in use at that moment") {
  Served sender;
  const Bytes before = sender.with_binaries();
  CHECK(before == sender.with_binaries());
  // A winner takes over, as after tuning beside the program.
  sender.decide({.configuration = kLater});
  sender.compile({.configuration = kLater});
  Runtime other(sender.options());
  const Instance& later = other.kernel(wave()).request({100, 1000});
  detail::InstanceState::of(sender.request()).publish(detail::InstanceState::of(later).plan());
  CHECK(launched(Receiver(before).request()) == kWinner);
  CHECK(launched(Receiver(sender.with_binaries()).request()) == kLater);
}

TEST_CASE("what was frozen can be frozen again, with its binaries") {
  const Served sender;
  Receiver first(sender.with_binaries());
  first.request();
  CHECK(launched(Receiver(first.runtime.frozen(FrozenBinaries::included)).request()) == kWinner);
}

TEST_CASE("on another kind of GPU of the same architecture it is served as such, and on others the baseline is") {
  Receiver sister(frozen_on(sister_gpu()));
  sister.compile({});
  const Provenance provenance = sister.request().provenance();
  CHECK(provenance.rung == Rung::other_device);
  CHECK(provenance.configuration == kWinner);
  CHECK(contains(provenance.why, "on Sister GPU only, and this is Fake GPU"));
  CHECK(launched(sister.request()) == kWinner);

  for (const Bytes& bytes : {frozen_on(older_gpu()), frozen_on(sister_gpu(), kWinner, Rung::baseline)}) {
    Receiver receiver(bytes);
    receiver.tuned({});
    check_baseline_serves(receiver.request(), "GPU only, and this is Fake GPU");
  }
}

TEST_CASE("with exact_only nothing but what was frozen as exact serves") {
  const Served sender;
  Receiver receiver(sender.with_binaries(), {.exact_only = true});
  CHECK(receiver.request().rung() == Rung::exact);
  for (const int rows : {110, 9000, 200}) CHECK(receiver.request({rows, 1000}).rung() == Rung::unrunnable);
  CHECK(contains(receiver.request({110, 1000}).provenance().why, "served as near size, and only exact"));
}

TEST_CASE("a configuration that the description or the GPU here does not allow is refused") {
  for (const char* configuration : {"BLOCK=3,ITEMS=2,STORE=plain", "BLOCK=512,ITEMS=4,STORE=plain", "nonsense"}) {
    Receiver receiver(frozen_on(gpu(), configuration));
    receiver.tuned({});
    check_baseline_serves(receiver.request(), std::string("The frozen configuration ") + configuration);
  }
}

TEST_CASE("bytes that are damaged, cut off or something else are refused in a sentence") {
  const Served sender;
  const Bytes bytes = sender.runtime.frozen();
  CHECK(refusal_of({}, Errc::store_damaged) ==
        "These 0 bytes are no frozen decisions; pass what Runtime::frozen returned, all of it.");
  CHECK(contains(refusal_of(Bytes(100'000), Errc::store_damaged), "no frozen decisions"));
  CHECK(contains(refusal_of(Bytes(bytes.begin(), bytes.end() - 1), Errc::store_damaged), "damaged or cut off"));
  Bytes longer = bytes;
  longer.push_back({});
  CHECK(contains(refusal_of(longer, Errc::store_damaged), "damaged or cut off"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CHECK_THROWS_AS(Runtime::from_frozen(std::span(bytes).first(i)), Error);
    Bytes flipped = bytes;
    flipped[i] ^= std::byte{1};
    CHECK_THROWS_AS(Runtime::from_frozen(flipped), Error);
  }
}

TEST_CASE("the bytes of another version of the library are refused, and say so") {
  const Served sender;
  Bytes bytes = sender.runtime.frozen();
  const std::string first = "tuner frozen 1 ";
  bytes[first.size()] = std::byte{'\x1b'};
  const std::string why = refusal_of(bytes, Errc::store_newer);
  CHECK(contains(why, "tuner frozen 1 \\x1b"));
  CHECK(contains(why, "but this library reads \"tuner frozen 1 " + std::string(kVersion) + "\""));
}

TEST_CASE("forged bytes are refused, or serve what the description and the GPU allow") {
  const Served sender;
  const Bytes bytes = sender.runtime.frozen();  // who forges a binary has its code run, as documented
  std::minstd_rand random(7);
  int refused = 0, read = 0;
  for (int i = 0; i < 1000; ++i) {
    const Bytes changed = forged(bytes, [&](std::string& packed) {
      for (int changes = 1 + i % 3; changes > 0; --changes)
        packed[random() % packed.size()] = "0123456789;-=e"[random() % 14];
    });
    try {
      Receiver receiver(changed);
      const Instance& instance = receiver.request();
      CHECK((instance.rung() == Rung::unrunnable) == (launched(instance) == "none"));
      ++read;
    } catch (const Error& error) {
      CHECK(error.code() == Errc::store_damaged);
      ++refused;
    }
  }
  CHECK(refused > 100);
  CHECK(read > 100);
  CHECK(contains(refusal_of(forged(bytes, [](std::string& packed) { packed = "99999999999;"; }), Errc::store_damaged),
                 "damaged"));
}
