#include "tuner/core/description/macro_marks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/statements.hpp"

namespace tuner {
namespace {

template <class Test>
bool any_word(std::string_view text, Test test) {
  const auto end = text.end();
  for (auto at = std::find_if(text.begin(), end, is_word_character); at != end;) {
    const auto behind = std::find_if_not(at, end, is_word_character);
    if (test(std::string_view(&*at, static_cast<std::size_t>(behind - at)))) return true;
    at = std::find_if(behind, end, is_word_character);
  }
  return false;
}

}  // namespace

bool is_device_mark(std::string_view word) {
  constexpr std::array<std::string_view, 4> kMarks{"__device__", "__global__", "constexpr", "consteval"};
  return std::find(kMarks.begin(), kMarks.end(), word) != kMarks.end();
}

MacroMarks::MacroMarks(const std::vector<CodeText::Macro>& macros) {
  for (const CodeText::Macro& macro : macros) meanings_[macro.name];
  std::multimap<std::string_view, std::string_view> users;
  std::vector<std::string_view> pending;
  for (const CodeText::Macro& macro : macros) {
    Meaning& meaning = meanings_[macro.name];
    meaning.launches = meaning.launches || macro.body.find(kLaunch) != kNowhere;
    meaning.has_body = macro.body.find('{') != kNowhere;
    any_word(macro.body, [&](std::string_view word) {
      if (is_device_mark(word)) meaning.marks = true;
      if (meanings_.contains(word)) users.emplace(word, macro.name);
      return false;
    });
    if (meaning.marks || meaning.launches) pending.push_back(macro.name);
  }
  while (!pending.empty()) {
    const std::string_view name = pending.back();
    pending.pop_back();
    const Meaning own = meanings_[name];
    for (auto [user, end] = users.equal_range(name); user != end; ++user) {
      Meaning& theirs = meanings_[user->second];
      const bool is_new = (own.marks && !theirs.marks) || (own.launches && !theirs.launches);
      theirs.marks = theirs.marks || own.marks;
      theirs.launches = theirs.launches || own.launches;
      if (is_new) pending.push_back(user->second);
    }
  }
  any_launches_ = std::any_of(meanings_.begin(), meanings_.end(), [](const auto& one) { return one.second.launches; });
}

bool MacroMarks::launch_in(std::string_view body) const {
  return any_launches_ && any_word(body, [&](std::string_view word) { return get(word).launches; });
}

MacroMarks::Meaning MacroMarks::get(std::string_view word) const {
  const auto found = meanings_.find(word);
  return found == meanings_.end() ? Meaning{} : found->second;
}

}  // namespace tuner
