#include "tuner/runtime/frozen_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cache/file/hash.hpp"
#include "cache/file/packed_text.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/error.hpp"
#include "tuner/version.hpp"

// The bytes are
//
//     tuner frozen FORMAT VERSION '\n' HASH PACKED
//
// where HASH is the content_hash of PACKED, and PACKED the list of answers (cache/file/packed_text.hpp).

namespace tuner {

/// What is launched, and can be named to another program.
constexpr bool is_known(Rung rung) {
  switch (rung) {
    case Rung::exact:
    case Rung::near_size:
    case Rung::other_device:
    case Rung::baseline:
    case Rung::predicted:
      return true;
    case Rung::fallback:
    case Rung::unrunnable:
      break;
  }
  return false;
}

void describe(auto& fields, Provenance& provenance) {
  auto& [rung, why, configuration, problem, device, expected_loss, expected_time, speedup, speedup_low, speedup_high,
         confidence, ties, effort, database, decision_id, stale, contended, noisy, tuning] = provenance;
  fields("rung", rung)("why", why)("configuration", configuration)("problem", problem)("device", device);
  fields("expected_loss", expected_loss)("expected_time", expected_time)("speedup", speedup);
  fields("speedup_low", speedup_low)("speedup_high", speedup_high)("confidence", confidence)("ties", ties);
  fields("effort", effort)("database", database)("decision_id", decision_id)("stale", stale);
  fields("contended", contended)("noisy", noisy)("tuning", tuning);
}

void describe(auto& fields, FrozenAnswer& answer) {
  auto& [key, provenance, binary_hash, binary_key, binary] = answer;
  fields("key", key)("provenance", provenance)("binary_hash", binary_hash)("binary_key", binary_key);
  fields("binary", binary);
}

namespace {

constexpr std::string_view kName = "tuner frozen ";
constexpr int kFormat = 1;  // of what the answers are: raised with every change of a field
constexpr std::size_t kHashDigits = 32;

std::string first_line(std::string_view version) {
  return fmt::format("{}{} {}\n", kName, kFormat, version);
}

bool same_but_for_device(const cache::DecisionKey& a, cache::DecisionKey b) {
  b.device = a.device;
  return a == b;
}

}  // namespace

void FrozenAnswers::add(FrozenAnswer answer) {
  const bool is_exact = answer.provenance.rung == Rung::exact;
  std::string key = answer.key.text();
  // What is not inserted is not moved from.
  const auto [place, is_new] = answers_.try_emplace(std::move(key), std::move(answer));
  if (!is_new && is_exact && place->second.provenance.rung != Rung::exact) place->second = std::move(answer);
}

const FrozenAnswer* FrozenAnswers::find(const cache::DecisionKey& key) const {
  const auto found = answers_.find(key.text());
  return found != answers_.end() ? &found->second : nullptr;
}

const FrozenAnswer* FrozenAnswers::find_elsewhere(const cache::DecisionKey& key) const {
  for (const auto& [text, answer] : answers_) {
    if (answer.provenance.rung == Rung::baseline || !same_but_for_device(key, answer.key)) continue;
    if (compute_capability(answer.key.device) == compute_capability(key.device)) return &answer;
  }
  return nullptr;
}

std::string FrozenAnswers::devices(const cache::DecisionKey& key) const {
  std::string names;
  for (const auto& [text, answer] : answers_) {
    if (!same_but_for_device(key, answer.key)) continue;
    names += (names.empty() ? "" : ", ") + device_name(answer.key.device);
  }
  return names;
}

std::vector<std::byte> FrozenAnswers::bytes() const {
  std::vector<FrozenAnswer> list;
  for (const auto& [text, answer] : answers_) list.push_back(answer);
  const std::string packed = cache::packed(list);
  const std::string all = first_line(kVersion) + cache::content_hash(packed).text + packed;
  const auto* const begin = reinterpret_cast<const std::byte*>(all.data());
  return {begin, begin + all.size()};
}

FrozenAnswers FrozenAnswers::from(std::span<const std::byte> bytes) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!rest.starts_with(kName)) {
    throw Error(Errc::store_damaged,
                fmt::format("These {} bytes are no frozen decisions; pass what Runtime::frozen returned, all of it.",
                            bytes.size()));
  }
  const std::string wanted = first_line(kVersion);
  if (!rest.starts_with(wanted)) {
    constexpr std::size_t kMost = 40;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    throw Error(Errc::store_newer,
                fmt::format("The frozen decisions begin with \"{}\", but this library reads \"{}\"; let every program "
                            "use the same version of the library.",
                            one_line(line, kMost), wanted.substr(0, wanted.size() - 1)));
  }
  rest.remove_prefix(wanted.size());
  const std::string damaged = fmt::format(
      "The {} bytes of frozen decisions are damaged or cut off; pass what Runtime::frozen returned, all of it.",
      bytes.size());
  const std::string_view hash = rest.substr(0, kHashDigits);
  rest.remove_prefix(hash.size());
  if (std::string_view(cache::content_hash(rest)) != hash) throw Error(Errc::store_damaged, damaged);
  FrozenAnswers answers;
  try {
    for (FrozenAnswer& answer : cache::unpacked<std::vector<FrozenAnswer>>(rest)) answers.add(std::move(answer));
  } catch (const Error&) {
    throw Error(Errc::store_damaged, damaged);
  }
  return answers;
}

}  // namespace tuner
