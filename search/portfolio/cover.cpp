#include "search/portfolio/cover.hpp"

#include <algorithm>
#include <bit>

namespace tuner::search {

std::size_t Bits::count() const {
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

bool Bits::is_subset_of(const Bits& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & ~other.words_[i]) != 0) return false;
  }
  return true;
}

bool Bits::meets(const Bits& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

Bits& Bits::operator&=(const Bits& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

Bits& Bits::operator|=(const Bits& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

Bits& Bits::remove(const Bits& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  return *this;
}

namespace {

/// What is left to cover: the rows, by number, each with the columns that have it.
struct Rest {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  std::vector<std::size_t> chosen;
};

class CoverSearch {
 public:
  CoverSearch(const std::vector<Bits>& columns, std::size_t rows, std::size_t steps)
      : columns_(columns), row_count_(rows), steps_(steps) {}

  Cover run() {
    Rest rest;
    for (std::size_t row = 0; row < row_count_; ++row) rest.rows.push_back(row);
    for (std::size_t column = 0; column < columns_.size(); ++column) rest.columns.push_back(column);
    best_ = greedy(rest);
    search(std::move(rest));
    std::sort(best_.begin(), best_.end());
    return {best_, !cut_short_};
  }

 private:
  bool spend(std::size_t steps) {
    cut_short_ = cut_short_ || steps > steps_;
    steps_ -= std::min(steps, steps_);
    return !cut_short_;
  }

  Bits bits_of(const std::vector<std::size_t>& rows) const {
    Bits bits(row_count_);
    for (const std::size_t row : rows) bits.set(row);
    return bits;
  }

  std::vector<std::size_t> greedy(const Rest& rest) const {
    std::vector<std::size_t> chosen;
    Bits left = bits_of(rest.rows);
    while (left.count() > 0) {
      std::size_t best = 0, most = 0;
      for (const std::size_t column : rest.columns) {
        Bits covered = columns_[column];
        covered &= left;
        const std::size_t count = covered.count();
        if (count <= most) continue;
        most = count;
        best = column;
      }
      chosen.push_back(best);
      left.remove(columns_[best]);
    }
    return without_superfluous(chosen);
  }

  std::vector<std::size_t> without_superfluous(std::vector<std::size_t> chosen) const {
    for (std::size_t i = chosen.size(); i-- > 0;) {
      Bits others(row_count_);
      for (std::size_t j = 0; j < chosen.size(); ++j) {
        if (j != i) others |= columns_[chosen[j]];
      }
      if (others.count() == row_count_) chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return chosen;
  }

  /// By row of `rest`, the positions in rest.columns of the columns that have it.
  std::vector<Bits> columns_by_row(const Rest& rest) const {
    std::vector<Bits> result(rest.rows.size(), Bits(rest.columns.size()));
    for (std::size_t c = 0; c < rest.columns.size(); ++c) {
      for (std::size_t r = 0; r < rest.rows.size(); ++r) {
        if (columns_[rest.columns[c]].test(rest.rows[r])) result[r].set(c);
      }
    }
    return result;
  }

  /// Keeps those of `items` whose set no other's makes superfluous; of equal sets the first.
  template <class Worse>
  static bool keep_best(std::vector<std::size_t>& items, const std::vector<Bits>& sets, Worse worse) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < items.size(); ++i) {
      bool is_best = true;
      for (std::size_t j = 0; j < items.size() && is_best; ++j) {
        if (j != i && worse(sets[i], sets[j])) is_best = j > i && worse(sets[j], sets[i]);
      }
      if (is_best) kept.push_back(items[i]);
    }
    const bool fewer = kept.size() < items.size();
    items = std::move(kept);
    return fewer;
  }

  void choose(Rest& rest, std::size_t column) const {
    rest.chosen.push_back(column);
    std::erase_if(rest.rows, [&](std::size_t row) { return columns_[column].test(row); });
    std::erase(rest.columns, column);
  }

  /// False if the steps are used up.
  bool reduce(Rest& rest) {
    for (bool again = true; again && !rest.rows.empty();) {
      if (!spend(rest.columns.size() * rest.columns.size() + rest.rows.size() * rest.rows.size())) return false;
      const Bits left = bits_of(rest.rows);
      std::vector<Bits> sets;
      for (const std::size_t column : rest.columns) sets.push_back(Bits(columns_[column]) &= left);
      again = keep_best(rest.columns, sets, [](const Bits& a, const Bits& b) { return a.is_subset_of(b); });
      const std::vector<Bits> rows = columns_by_row(rest);
      again |= keep_best(rest.rows, rows, [](const Bits& a, const Bits& b) { return b.is_subset_of(a); });
      const std::vector<Bits> kept = columns_by_row(rest);
      for (std::size_t r = 0; r < kept.size(); ++r) {
        if (kept[r].count() > 1) continue;
        std::size_t only = 0;
        while (only < rest.columns.size() && !kept[r].test(only)) ++only;
        if (only == rest.columns.size()) return true;  // its columns were excluded: no cover on this branch
        choose(rest, rest.columns[only]);
        again = true;
        break;
      }
    }
    return true;
  }

  void search(Rest rest) {
    if (!reduce(rest)) return;
    if (rest.rows.empty()) {
      if (rest.chosen.size() < best_.size()) best_ = rest.chosen;
      return;
    }
    const std::vector<Bits> rows = columns_by_row(rest);
    std::vector<std::size_t> order;
    for (std::size_t r = 0; r < rows.size(); ++r) order.push_back(r);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows[a].count() < rows[b].count(); });
    // Rows that have no column in common need a column each.
    std::size_t least = rest.chosen.size();
    Bits used(rest.columns.size());
    for (const std::size_t r : order) {
      if (rows[r].meets(used)) continue;
      used |= rows[r];
      ++least;
    }
    const Bits& hardest = rows[order.front()];
    if (least >= best_.size() || hardest.count() == 0) return;
    std::vector<std::size_t> candidates;
    for (std::size_t c = 0; c < rest.columns.size(); ++c) {
      if (hardest.test(c)) candidates.push_back(rest.columns[c]);
    }
    const Bits left = bits_of(rest.rows);
    std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
      return (Bits(columns_[a]) &= left).count() > (Bits(columns_[b]) &= left).count();
    });
    for (const std::size_t column : candidates) {
      Rest next = rest;
      choose(next, column);
      search(std::move(next));
      if (cut_short_) return;
      std::erase(rest.columns, column);  // covers with it have been seen
    }
  }

  const std::vector<Bits>& columns_;
  std::size_t row_count_;
  std::size_t steps_;
  bool cut_short_ = false;
  std::vector<std::size_t> best_;
};

}  // namespace

Cover smallest_cover(const std::vector<Bits>& columns, std::size_t rows, std::size_t steps) {
  return CoverSearch(columns, rows, steps).run();
}

}  // namespace tuner::search
