#include "tuner/runtime/runtime_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "tuner/core/base/printable.hpp"

namespace tuner::detail {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 4> kModes{{
    {"off", Mode::off},
    {"cache", Mode::cache},
    {"background", Mode::background},
    {"tune", Mode::tune},
}};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

RuntimeOptions in_range(RuntimeOptions options) {
  options.background_share = std::clamp(options.background_share, 0.001, 1.0);
  options.background_compile_workers = std::max(options.background_compile_workers, 1);
  options.swap_threshold = std::max(options.swap_threshold, 1.0);
  return options;
}

}  // namespace

RuntimeSettings::RuntimeSettings(RuntimeOptions its_options, bool serves_frozen)
    : options(in_range(std::move(its_options))),
      mode_(serves_frozen ? Mode::cache : options.mode),
      lists_misses_(options.wanted) {
  if (const std::string wanted = environment("TUNER_MODE"); !wanted.empty() && !serves_frozen) {
    const auto found =
        std::find_if(kModes.begin(), kModes.end(), [&](const auto& mode) { return mode.first == wanted; });
    if (found != kModes.end()) {
      mode_ = found->second;
    } else {
      report(Notice::Kind::request,
             fmt::format("TUNER_MODE is \"{}\", which is not off, cache, background or tune; it is ignored.", wanted));
    }
  }
  if (const std::string wanted = environment("TUNER_WANTED"); wanted == "0" || wanted == "1") {
    lists_misses_ = wanted == "1";
  } else if (!wanted.empty()) {
    report(Notice::Kind::request, fmt::format("TUNER_WANTED is \"{}\", which is not 0 or 1; it is ignored.", wanted));
  }
  if (mode_ == Mode::off) lists_misses_ = false;
  if (options.never_tune && tunes()) mode_ = Mode::cache;
}

void RuntimeSettings::report(Notice::Kind kind, std::string_view sentence) const noexcept try {
  if (options.observer) options.observer({kind, one_line(sentence)});
} catch (...) {
  // An observer must not throw; what it throws must not end a program.
}

}  // namespace tuner::detail
