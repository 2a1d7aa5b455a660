// Where a source's text waits for other blocks.
#include <set>

#include "tuner/core/base/source_words.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/signature/written_signature.hpp"

namespace tuner {
namespace {

Word last_word(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && !is_word_character(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return {text.substr(begin, end - begin), begin};
}

/// `grid` of `grid_group grid = …` and of `auto grid = cooperative_groups::this_grid()`, and `this_grid` itself.
std::set<std::string_view> grids_of(std::string_view code) {
  std::set<std::string_view> grids{"this_grid"};
  for (std::size_t at = find_word(code, "grid_group"); at != std::string_view::npos;
       at = find_word(code, "grid_group", at + 1))
    grids.insert(next_word(code, at + 10).text);
  for (std::size_t at = find_word(code, "this_grid"); at != std::string_view::npos;
       at = find_word(code, "this_grid", at + 1)) {
    const std::size_t before = code.find_last_of("=;{}(,", at);
    if (before != std::string_view::npos && code[before] == '=') grids.insert(last_word(code.substr(0, before)).text);
  }
  return grids;
}

/// Whose barrier the word `sync` at this place is: `grid.sync()`, `this_grid().sync()`, `sync(grid)`.
std::string_view owner_of_sync(std::string_view code, std::size_t at) {
  const std::size_t open = skip_blanks(code, at + 4);
  if (open >= code.size() || code[open] != '(') return {};
  const std::string_view before = trimmed(code.substr(0, at));
  if (before.ends_with('.')) return last_word(before).text;
  const std::size_t close = skip_brackets(code, open);
  return close == std::string_view::npos ? std::string_view() : last_word(code.substr(open, close - open)).text;
}

/// What is asked for again and again, and what else is done meanwhile.
struct Loop {
  std::string_view condition;
  std::string_view body;  ///< without its braces
};

/// The block that ends with `code`; nothing if none does.
std::optional<std::size_t> begin_of_block(std::string_view code) {
  std::size_t depth = 0;
  for (std::size_t at = code.size(); at-- > 0;) {
    if (code[at] == '}') ++depth;
    if (depth == 0) return std::nullopt;
    if (code[at] == '{' && --depth == 0) return at;
  }
  return std::nullopt;
}

/// The loop whose `while` or `for` of so many letters stands at `at`; nothing where the text ends before that.
std::optional<Loop> loop_at(std::string_view code, std::size_t at, std::size_t letters) {
  const std::size_t open = skip_blanks(code, at + letters);
  if (open >= code.size() || code[open] != '(') return std::nullopt;
  const std::size_t close = skip_brackets(code, open, Between::statements);
  if (close == std::string_view::npos) return std::nullopt;
  Loop loop{code.substr(open + 1, close - open - 2), {}};
  if (const std::size_t first = loop.condition.find(';'); first != std::string_view::npos) {
    const std::size_t second = loop.condition.find(';', first + 1);
    if (second == std::string_view::npos || !trimmed(loop.condition.substr(second + 1)).empty()) return std::nullopt;
    loop.condition = loop.condition.substr(first + 1, second - first - 1);
  }
  const std::string_view before = trimmed(code.substr(0, at));
  if (const auto begin = begin_of_block(before); begin && trimmed(before.substr(0, *begin)).ends_with("do")) {
    loop.body = before.substr(*begin + 1, before.size() - *begin - 2);
    return loop;
  }
  const std::size_t body = skip_blanks(code, close);
  if (body >= code.size()) return std::nullopt;
  const bool is_block = code[body] == '{';
  const std::size_t end = is_block ? skip_brackets(code, body, Between::statements) - 1 : code.find(';', body);
  if (end >= code.size()) return std::nullopt;
  loop.body = code.substr(body + is_block, end - body - is_block);
  return loop;
}

/// Whether this reads what another thread may write meanwhile, and writes nothing.
bool only_reads(std::string_view code, const std::set<std::string_view>& volatiles) {
  for (const std::string_view word : {"volatile", "__ldcg", "__ldcv", "load"}) {
    if (has_word(code, word)) return true;
  }
  for (std::size_t at = 0; at < code.size();) {
    const Word word = next_word(code, at);
    if (word.text.empty()) return false;
    at = word.at + word.text.size();
    if (volatiles.contains(word.text) || word.text.find("acquire") != std::string_view::npos) return true;
    if (!word.text.starts_with("atomic")) continue;
    // Of atomics those that add nothing.
    const std::size_t close = skip_brackets(code, std::min(code.find('(', at), code.size()));
    if (close == std::string_view::npos) return false;
    const std::string_view last = trimmed(code.substr(0, close - 1));
    if (last.ends_with('0') || last.ends_with("0u") || last.ends_with("0U"))
      return trimmed(last.substr(0, last.rfind('0'))).ends_with(',');
  }
  return false;
}

/// `flag` of `volatile int* flag`.
std::set<std::string_view> volatiles_of(std::string_view code) {
  std::set<std::string_view> names;
  for (std::size_t at = find_word(code, "volatile"); at != std::string_view::npos;
       at = find_word(code, "volatile", at + 1)) {
    const std::size_t end = code.find_first_of(";=,()[{", at);
    if (end == std::string_view::npos) break;
    if (const Word name = last_word(code.substr(at, end - at)); name.text != "volatile") names.insert(name.text);
  }
  return names;
}

/// Whether the loop does nothing but ask again: it has no body, or one that sleeps or takes the new value.
bool only_waits(const Loop& loop, const std::set<std::string_view>& volatiles) {
  if (loop.condition.find("++") != std::string_view::npos || loop.condition.find("--") != std::string_view::npos)
    return false;
  std::string_view taken;  // the statement that is left
  for (std::size_t at = 0, end; at < loop.body.size(); at = end + 1) {
    end = std::min(loop.body.find(';', at), loop.body.size());
    const std::string_view statement = trimmed(loop.body.substr(at, end - at));
    if (statement.empty() || statement.starts_with("__nanosleep") || statement.starts_with("__threadfence")) continue;
    if (!taken.empty()) return false;
    taken = statement;
  }
  if (taken.empty()) return only_reads(loop.condition, volatiles);
  const std::size_t equals = taken.find('=');
  if (equals == std::string_view::npos) return false;
  // `seen = *flag`, and not `list[i] = …`, nor `i = next[i]`, which goes on.
  const std::string_view value = taken.substr(equals + 1), target = trimmed(taken.substr(0, equals));
  const std::string_view name = last_word(target).text;
  return target.ends_with(name) && has_word(loop.condition, name) && !has_word(value, name) &&
         only_reads(value, volatiles);
}

}  // namespace

std::optional<Place> WrittenSource::waiting_loop() const {
  for (const File& file : files_) {
    const std::string_view code = file.code.code;
    const std::set<std::string_view> volatiles = volatiles_of(code);
    for (const std::string_view keyword : {"while", "for"}) {
      for (std::size_t at = find_word(code, keyword); at != std::string_view::npos;
           at = find_word(code, keyword, at + 1)) {
        const std::optional<Loop> loop = loop_at(code, at, keyword.size());
        if (loop && only_waits(*loop, volatiles)) return file.text.place(at);
      }
    }
  }
  return std::nullopt;
}

std::optional<Place> WrittenSource::grid_barrier() const {
  for (const File& file : files_) {
    const std::string_view code = file.code.code;
    std::size_t at = find_word(code, "sync");
    if (at == std::string_view::npos) continue;
    const std::set<std::string_view> grids = grids_of(code);
    for (; at != std::string_view::npos; at = find_word(code, "sync", at + 1)) {
      if (grids.contains(owner_of_sync(code, at))) return file.text.place(at);
    }
  }
  return std::nullopt;
}

}  // namespace tuner
