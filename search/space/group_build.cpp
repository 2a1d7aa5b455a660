#include "search/space/group_build.hpp"

#include <algorithm>
#include <bit>

#include "search/space/state_table.hpp"

namespace tuner::search {
namespace {

constexpr std::uint64_t kFault = std::uint64_t{1} << 63;  // in a state's mask: something could not be computed
constexpr std::size_t kKindsPerWord = 21;                 // of three bits
constexpr std::uint32_t kDead = static_cast<std::uint32_t>(-1);
constexpr std::uint64_t kFaultCost = 100;  // an exception that is caught, in steps

/// A state's key: the mask of conditions that are decided, the values kept, and their kinds.
std::size_t key_words(const Stage& stage) {
  return 1 + stage.kept.size() + (stage.kept.size() + kKindsPerWord - 1) / kKindsPerWord;
}

/// The choices of one layer of states, and the state of the next layer that each leads to.
struct Layer {
  struct Edge {
    std::uint32_t choice = 0;
    std::uint32_t child = 0;
  };
  std::vector<std::uint32_t> first{0};  // by state, and one past the last
  std::vector<Edge> edges;
  std::size_t bytes() const { return first.capacity() * sizeof(first[0]) + edges.capacity() * sizeof(Edge); }
};

class Builder {
 public:
  Builder(const ConstraintProgram& program, const Group& group, Diagram& diagram, BuildBudget& budget)
      : program_(program),
        steps_(program.steps().data()),
        more_(program.more().data()),
        plan_(make_plan(program, group)),
        diagram_(diagram),
        budget_(budget),
        cells_(program.steps().size()) {
    for (StepId id = 0; id < cells_.size(); ++id) {
      if (steps_[id].constant) cells_[id] = steps_[id].value;
    }
  }

  BuiltGroup build() {
    StateTable states(1);
    const std::uint64_t nothing_decided = 0;
    states.insert(&nothing_decided);
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) states = expand(i, states);
    BuiltGroup result;
    reduce(states, result);
    find_fault(states, result);
    return result;
  }

 private:
  StateTable expand(std::size_t number, const StateTable& states);
  bool choose(const Stage& stage, std::uint64_t& mask);
  bool decide_early(const Stage& stage, std::uint64_t& mask);
  void load(const Stage& stage, const std::uint64_t* key);
  void store(const Stage& stage, std::uint64_t mask, std::uint64_t* key) const;
  void charge(const Stage& stage, std::size_t choices, std::size_t bytes);
  void reduce(const StateTable& last, BuiltGroup& result);
  void find_fault(const StateTable& last, BuiltGroup& result) const;
  std::vector<std::uint32_t> first_path(const std::vector<bool>& ends) const;

  const ConstraintProgram& program_;
  const Step* steps_;
  const StepId* more_;
  GroupPlan plan_;
  Diagram& diagram_;
  BuildBudget& budget_;
  std::vector<Operand> cells_;
  std::vector<Layer> layers_;
  std::size_t layer_bytes_ = 0;
  // How often deciding early was tried at this stage and came to something: where it never does, it is left.
  std::uint64_t tried_ = 0;
  std::uint64_t decided_ = 0;
};

StateTable Builder::expand(std::size_t number, const StateTable& states) {
  const Stage& stage = plan_.stages[number];
  const std::span<const Operand> values = program_.values(stage.parameter);
  StateTable result(key_words(stage));
  std::vector<std::uint64_t> key(key_words(stage));
  Layer& layer = layers_.emplace_back();
  layer.first.reserve(states.size() + 1);
  tried_ = decided_ = 0;
  for (std::uint32_t state = 0; state < states.size(); ++state) {
    const std::uint64_t* const before = states.key(state);
    if (number > 0) load(plan_.stages[number - 1], before);
    for (std::uint32_t choice = 0; choice < values.size(); ++choice) {
      if (stage.has_cell) cells_[stage.cell] = values[choice];
      std::uint64_t mask = before[0];
      if (!choose(stage, mask)) continue;
      store(stage, mask, key.data());
      layer.edges.push_back({choice, result.insert(key.data())});
    }
    layer.first.push_back(static_cast<std::uint32_t>(layer.edges.size()));
    charge(stage, values.size(), layer_bytes_ + layer.bytes() + states.bytes() + result.bytes());
  }
  layer_bytes_ += layer.bytes();
  return result;
}

void Builder::charge(const Stage& stage, std::size_t choices, std::size_t bytes) {
  budget_.choices += choices * (1 + (stage.actions.size() + stage.kept.size() + stage.ranged.size()) / 4);
  if (budget_.choices > budget_.most_choices || bytes > budget_.most_bytes) throw BudgetExceeded();
}

/// Computes what the choice in the cell allows to compute. False if a condition is false.
bool Builder::choose(const Stage& stage, std::uint64_t& mask) {
  for (const Stage::Action& action : stage.actions) {
    Operand& cell = cells_[action.step];
    if (action.compute) {
      cell = evaluate(steps_[action.step], cells_.data(), more_);
      if (cell.kind == Operand::Kind::undefined) budget_.choices += kFaultCost;
    }
    if (!action.test) continue;
    const Truth truth = truth_of(cell);
    if (truth == Truth::no) return false;
    if (truth == Truth::undefined) mask |= kFault;
  }
  const bool worth = tried_ < 256 || decided_ * 32 > tried_;
  return stage.pending.empty() || !worth || decide_early(stage, mask);
}

bool Builder::decide_early(const Stage& stage, std::uint64_t& mask) {
  ++tried_;
  Range* const ranges = plan_.ranges.data();
  for (const StepId id : stage.known) ranges[id] = Range::of(cells_[id]);
  for (const StepId id : stage.ranged) ranges[id] = range_of(steps_[id], ranges, steps_, more_);
  const std::uint64_t before = mask;
  for (const PendingCondition& condition : stage.pending) {
    if ((mask & condition.bit) != 0) continue;
    const Range& range = ranges[condition.step];
    if (range.is_false()) {
      ++decided_;
      return false;
    }
    if (range.is_true()) mask |= condition.bit;
  }
  if (mask != before) ++decided_;
  return true;
}

void Builder::store(const Stage& stage, std::uint64_t mask, std::uint64_t* key) const {
  const std::uint64_t open = ~(mask & ~kFault);
  const std::size_t count = stage.kept.size();
  std::uint64_t* const kinds = key + 1 + count;
  std::fill(kinds, key + key_words(stage), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& cell = cells_[stage.kept[i]];
    const bool wanted = (stage.needed_by[i] & open) != 0;
    const Operand::Kind kind = wanted ? cell.kind : Operand::Kind::settled;
    key[1 + i] = kind < Operand::Kind::undefined ? std::bit_cast<std::uint64_t>(cell.integer) : 0;
    kinds[i / kKindsPerWord] |= static_cast<std::uint64_t>(kind) << (3 * (i % kKindsPerWord));
  }
  key[0] = mask & (stage.open | kFault);
}

void Builder::load(const Stage& stage, const std::uint64_t* key) {
  const std::size_t count = stage.kept.size();
  const std::uint64_t* const kinds = key + 1 + count;
  for (std::size_t i = 0; i < count; ++i) {
    Operand& cell = cells_[stage.kept[i]];
    cell.kind = static_cast<Operand::Kind>((kinds[i / kKindsPerWord] >> (3 * (i % kKindsPerWord))) & 7);
    cell.integer = std::bit_cast<std::int64_t>(key[1 + i]);
  }
}

/// From the last layer to the first: states from which nothing valid follows go, equal ones become one node.
void Builder::reduce(const StateTable& last, BuiltGroup& result) {
  std::vector<Diagram::Id> below(last.size(), kDead);  // the next layer's nodes, by state
  for (std::uint32_t state = 0; state < last.size(); ++state) {
    if ((last.key(state)[0] & kFault) == 0) below[state] = Diagram::kEnd;
  }
  std::vector<Diagram::Edge> edges;
  for (std::size_t number = layers_.size(); number-- > 0;) {
    const Layer& layer = layers_[number];
    std::vector<Diagram::Id> nodes(layer.first.size() - 1, kDead);
    NodeTable known(diagram_);
    for (std::size_t state = 0; state < nodes.size(); ++state) {
      edges.clear();
      std::uint64_t total = 0;
      for (std::uint32_t i = layer.first[state]; i < layer.first[state + 1]; ++i) {
        const Diagram::Id child = below[layer.edges[i].child];
        if (child == kDead) continue;
        edges.push_back({total, layer.edges[i].choice, child});
        if (__builtin_add_overflow(total, diagram_.node(child).total, &total)) result.overflow = true;
      }
      if (!edges.empty()) nodes[state] = known.insert(edges, total);
    }
    below = std::move(nodes);
  }
  result.empty = below.front() == kDead;
  if (!result.empty) result.root = below.front();
}

void Builder::find_fault(const StateTable& last, BuiltGroup& result) const {
  std::vector<bool> faults(last.size());
  for (std::uint32_t state = 0; state < last.size(); ++state) faults[state] = (last.key(state)[0] & kFault) != 0;
  if (std::find(faults.begin(), faults.end(), true) == faults.end()) return;
  result.fault = first_path(faults);
  result.accepted = first_path(std::vector<bool>(last.size(), true));
}

/// The first choices that lead to one of these last states; some do.
std::vector<std::uint32_t> Builder::first_path(const std::vector<bool>& ends) const {
  std::vector<std::vector<bool>> leads(layers_.size() + 1);  // by layer and state
  leads.back() = ends;
  for (std::size_t number = layers_.size(); number-- > 0;) {
    const Layer& layer = layers_[number];
    leads[number].resize(layer.first.size() - 1);
    for (std::size_t state = 0; state + 1 < layer.first.size(); ++state) {
      for (std::uint32_t i = layer.first[state]; i < layer.first[state + 1]; ++i) {
        if (leads[number + 1][layer.edges[i].child]) leads[number][state] = true;
      }
    }
  }
  std::vector<std::uint32_t> result;
  std::uint32_t state = 0;
  for (std::size_t number = 0; number < layers_.size(); ++number) {
    const Layer& layer = layers_[number];
    std::uint32_t at = layer.first[state];
    while (!leads[number + 1][layer.edges[at].child]) ++at;
    result.push_back(layer.edges[at].choice);
    state = layer.edges[at].child;
  }
  return result;
}

}  // namespace

BuiltGroup build_group(const ConstraintProgram& program, const Group& group, Diagram& diagram, BuildBudget& budget) {
  return Builder(program, group, diagram, budget).build();
}

}  // namespace tuner::search
