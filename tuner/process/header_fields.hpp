#pragma once

#include "tuner/header.hpp"

namespace tuner {

void describe(auto& fields, Header& header) {
  auto& [name, text] = header;
  fields("name", name)("text", text);
}

}  // namespace tuner
