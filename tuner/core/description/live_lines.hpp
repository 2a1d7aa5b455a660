#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// A preprocessor line that NVRTC may read: not in a comment, a literal or what it surely skips.
struct LiveLine {
  std::string_view text;    ///< behind the `#`, with the lines that it goes on in; a part of the source
  std::size_t number = 0;   ///< from 1
  bool is_certain = false;  ///< all conditions around it surely hold, but for an include guard, the first in its file
  bool is_certain_behind = false;  ///< the same of what follows it
};

/// Those of a source, in order. Reads any text without failing.
std::vector<LiveLine> live_lines(std::string_view source);

/// An `#include` that is read whatever is defined.
struct CertainInclude {
  std::string name;
  bool is_quoted = false;
  std::size_t line = 0;
};
std::vector<CertainInclude> certain_includes(std::string_view source);

}  // namespace tuner
