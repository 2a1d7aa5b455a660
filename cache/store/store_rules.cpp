#include "cache/store/store_rules.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "cache/file/fail.hpp"

namespace tuner::cache {
namespace {

/// Looks at every field of a record.
class StorableCheck {
 public:
  StorableCheck(std::string_view kind, std::string_view configuration) : kind_(kind), configuration_(configuration) {}

  template <class T>
  void operator()(std::string_view, const T&) const {}
  template <class T>
  void operator()(std::string_view field, const std::optional<T>& value) const {
    if (value) (*this)(field, *value);
  }
  void operator()(std::string_view field, const std::vector<double>& values) const {
    for (const double value : values) (*this)(field, value);
  }
  void operator()(std::string_view, const std::vector<Tie>& ties) const {
    for (const Tie& tie : ties) describe(*this, tie);
  }
  void operator()(std::string_view field, double value) const {
    if (!std::isfinite(value)) refuse(fmt::format("{} = {}, which is not a number that can be stored", field, value));
  }
  void operator()(std::string_view, Origin origin) const {
    if (!is_known(origin)) refuse(fmt::format("the origin {}, which does not exist", static_cast<int>(origin)));
  }
  void operator()(std::string_view, Outcome outcome) const {
    if (to_string(outcome) != "unknown") return;
    refuse(fmt::format("the outcome {}, which does not exist", static_cast<int>(outcome)));
  }
  void operator()(std::string_view, Effort effort) const {
    if (!is_known(effort)) refuse(fmt::format("the effort {}, which does not exist", static_cast<int>(effort)));
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    fail(Errc::internal, "The {} for configuration \"{}\" has {}: please report this as a bug.", kind_, configuration_,
         what);
  }

  std::string_view kind_;
  std::string_view configuration_;
};

}  // namespace

void require_storable(const Trial& trial) {
  const StorableCheck check("trial", trial.configuration);
  describe(check, trial);
}

void require_storable(const Decision& decision) {
  const StorableCheck check("decision", decision.configuration);
  describe(check, decision);
}

std::int64_t now_unix_ms() {
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

std::int64_t stamp(std::int64_t unix_ms) {
  return unix_ms == 0 ? now_unix_ms() : unix_ms;
}

}  // namespace tuner::cache
