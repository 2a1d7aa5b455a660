#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache/exchange/key_rows.hpp"

namespace tuner::fleet {

/// The rows of a key as texts that travel one by one: JSON with the fields by their names, `{"format": 1, "kind":
/// "trial", ...}`, so that other versions of this program read them. Equal rows are equal texts. What is not UTF-8 in a
/// row, as in a compiler's message, is replaced.
std::vector<std::string> row_texts(const cache::KeyRows& rows);

/// The reverse, of the rows of any keys in any order; what is there twice counts once. They are data from anyone:
/// throws Error{store_damaged} with one sentence for what is no row. Kinds and fields that this version does not know
/// are left out.
std::vector<cache::KeyRows> rows_from_texts(const std::vector<std::string>& texts);

}  // namespace tuner::fleet
