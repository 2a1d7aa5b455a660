#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/instance.hpp"
#include "tuner/problem.hpp"

namespace tuner {

/// The requests of one kernel that were answered before, by context and values. A look-up takes no lock and writes to
/// nothing, so any number of threads may look up at once, also while one inserts.
class InstanceTable {
 public:
  InstanceTable();

  /// Null if this was not asked before.
  const Instance* find(std::uint64_t context, std::span<const ProblemValue> values) const noexcept;
  /// How many requests are known. One thread at a time, as `insert`, which adds what is not there yet.
  std::size_t size() const { return answered_.size(); }
  void insert(std::uint64_t context, std::span<const ProblemValue> values, const Instance& instance);

 private:
  /// The values of one request, words included.
  class StoredValues {
   public:
    explicit StoredValues(std::span<const ProblemValue> values);
    StoredValues(const StoredValues&) = delete;
    StoredValues& operator=(const StoredValues&) = delete;
    bool equals(std::span<const ProblemValue> values) const;

   private:
    std::string words_;  ///< what the words among the values refer to
    std::vector<ProblemValue> values_;
  };
  struct Answered {
    Answered(std::uint64_t its_hash, std::uint64_t its_context, std::span<const ProblemValue> its_values,
             const Instance& its_instance)
        : hash(its_hash), context(its_context), values(its_values), instance(&its_instance) {}
    std::uint64_t hash;
    std::uint64_t context;
    StoredValues values;
    const Instance* instance;
  };
  /// Open addressing, never more than half full, nothing is ever removed.
  struct Slots {
    explicit Slots(std::size_t count)
        : mask(count - 1), entries(std::make_unique<std::atomic<const Answered*>[]>(count)) {}
    void put(const Answered& entry) noexcept;
    std::size_t mask;
    std::unique_ptr<std::atomic<const Answered*>[]> entries;
  };

  std::deque<Answered> answered_;
  std::vector<std::unique_ptr<Slots>> slots_;  ///< the last is in use; readers may still be in the others
  std::atomic<const Slots*> current_;
};

}  // namespace tuner
