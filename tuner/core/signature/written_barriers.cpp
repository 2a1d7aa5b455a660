// Barriers over the whole grid, as a source's text has them.
#include <set>

#include "tuner/core/base/words.hpp"
#include "tuner/core/signature/source_words.hpp"
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

}  // namespace

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
