#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tuner::search {

/// `text` in double quotes. `"` and `\` are escaped, control characters are written \n \r \t or \xNN, so that the
/// result is one line; other bytes stay as they are.
std::string quote(std::string_view text);

/// What stands between a pair of `quote`s, with its escapes (\\ \" \' \n \r \t \xNN) replaced; nothing if it holds an
/// unknown or an unfinished one, or `quote` itself unescaped.
std::optional<std::string> unescape(std::string_view body, char quote);

/// The first `most` bytes of `text` or a few less: no character of UTF-8 is cut in two.
std::string_view beginning_of(std::string_view text, std::size_t most);
/// What a sentence shows of a text that may be a megabyte: its first 200 bytes, and `...` if there are more.
std::string shortened(std::string_view text);
/// A complaint, which is one line, with at most 200 bytes of each thing that it has in backquotes, and 2000 in all:
/// what is quoted may be a line of a megabyte, and have line ends, which are written `\x0a`.
std::string with_short_quotations(std::string_view complaint);

/// `text` without the blanks around it.
std::string_view trimmed(std::string_view text);

}  // namespace tuner::search
