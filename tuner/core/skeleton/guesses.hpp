#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// What the names of plain sources let one guess.

/// `n`, `width`, `num_rows`, `lda`: how much there is of something.
bool sounds_like_size(std::string_view name);
/// `radius`, `iterations`, `offset`: an integer that is compared with indices but is none of the sizes.
bool sounds_like_setting(std::string_view name);
/// `IndexType`, `SizeT`, `KeyT`: a template parameter that is an integer type.
bool sounds_like_integer_type(std::string_view name);
/// `BLOCK`, `TILE_SIZE`, `UNROLL`: what may vary without changing the results.
bool sounds_tunable(std::string_view name);
/// `BLOCK`, `threads`: how many threads a block has.
bool sounds_like_block(std::string_view name);

/// Of sizes, the one that is called like the dimension 0, 1 or 2 (x, y, z); empty if none is.
std::string size_of_dimension(const std::vector<std::string>& sizes, int dimension);

/// Values around the present one for a parameter of that name, the present one among them.
std::vector<std::int64_t> values_around(std::string_view name, std::int64_t value);
/// The same for a number of threads in the first dimension of a block, or in another one.
std::vector<std::int64_t> threads_around(std::int64_t value, bool is_only_dimension);

}  // namespace tuner
