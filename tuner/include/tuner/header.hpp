#pragma once

#include <string>

#include "tuner/api.hpp"

namespace tuner {

/// A header that the kernel's source includes with quotes, by the name between them.
struct Header {
  std::string name;
  std::string text;
  friend bool operator==(const Header&, const Header&) = default;
};

}  // namespace tuner
