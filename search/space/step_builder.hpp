#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/step.hpp"

namespace tuner::search {

/// Writes steps. Equal ones are made once (hash consing), those over constants are computed at once.
class StepBuilder {
 public:
  /// Into these; names that operands refer to are kept in a deque, because they must stay where they are.
  StepBuilder(std::vector<Step>& steps, std::vector<StepId>& more, std::deque<std::string>& names)
      : steps_(steps), more_(more), kept_names_(names) {}

  /// The same value with a name that is kept: equal names have equal pointers.
  Operand interned(Operand value);

  StepId constant(const Operand& value);
  /// A constant, if there is only one value.
  StepId parameter(std::uint32_t index, std::span<const Operand> values);
  /// `sign` is that of the operator, for what is one.
  StepId combine(Step::Kind kind, StepId a, StepId b, Sign sign = Sign::none);
  /// The step, or an equal one, or what it is worth where that is known already.
  StepId make(Step step, std::span<const StepId> more = {});

 private:
  StepId keep(Step step, std::span<const StepId> more);
  bool decided_by_first(const Step& step, StepId& result) const;
  Operand computed(const Step& step, std::span<const StepId> more) const;
  void classify(Step& step, std::span<const StepId> more) const;

  std::vector<Step>& steps_;
  std::vector<StepId>& more_;
  std::deque<std::string>& kept_names_;
  std::map<std::vector<std::uint64_t>, StepId> known_;
  std::map<std::string_view, const std::string*> names_;
};

}  // namespace tuner::search
