#pragma once

#include <string>

namespace tuner {

/// A `#define` that the compiler must see.
struct Macro {
  std::string name;
  std::string text;
};

}  // namespace tuner
