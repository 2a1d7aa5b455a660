#include "tuner/core/skeleton/guesses.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

using Names = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view name, Names names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_one_of(std::string_view name, Names parts) {
  return std::any_of(parts.begin(), parts.end(), [name](auto part) { return name.find(part) != std::string::npos; });
}

bool ends_with_one_of(std::string_view name, Names parts) {
  return std::any_of(parts.begin(), parts.end(), [name](auto part) { return name.ends_with(part); });
}

std::vector<std::int64_t> with(std::set<std::int64_t> values, std::int64_t value) {
  values.insert(value);
  return {values.begin(), values.end()};
}

}  // namespace

bool sounds_like_setting(std::string_view name) {
  const std::string text = folded(name);
  return is_one_of(text, {"r", "lag", "order", "begin", "start", "first", "axis", "mode"}) ||
         has_one_of(text, {"radius", "iter", "step", "tap", "seed", "offset", "degree", "flag", "halo"});
}

bool sounds_like_size(std::string_view name) {
  if (sounds_like_setting(name)) return false;
  const std::string text = folded(name);
  return is_one_of(text, {"n",     "m",      "k",         "w",      "h",   "d",       "nx",      "ny",
                          "nz",    "ld",     "lda",       "ldb",    "ldc", "len",     "dim",     "batch",
                          "total", "points", "particles", "bodies", "nnz", "samples", "channels"}) ||
         text.starts_with("num") ||
         ends_with_one_of(text, {"size", "length", "count", "width", "height", "depth", "rows", "cols", "columns",
                                 "elements", "elems", "items", "stride", "pitch"});
}

bool sounds_like_integer_type(std::string_view name) {
  const std::string text = folded(name);
  const Names beginnings{"int", "index", "idx", "size", "stride", "offset", "count", "key"};
  return std::any_of(beginnings.begin(), beginnings.end(), [&](auto begin) { return text.starts_with(begin); });
}

bool sounds_tunable(std::string_view name) {
  const std::string text = folded(name);
  if (text == "warpsize") return false;
  return is_one_of(text, {"bs", "bm", "bn", "bk", "tm", "tn", "tk", "wm", "wn", "ts", "tpb", "bx", "by", "bz", "tx",
                          "ty", "tz", "vt", "nt"}) ||
         has_one_of(text, {"block", "tile", "thread", "unroll", "vec", "warps", "coarse", "chunk", "stages", "pad",
                           "bdim", "perthread", "strip"});
}

bool sounds_like_block(std::string_view name) {
  const std::string text = folded(name);
  if (has_one_of(text, {"per", "rows", "cols", "tile"})) return text.ends_with("perblock");
  if (text.ends_with("blocks")) return false;
  return is_one_of(text, {"bs", "tpb", "bx", "nt"}) || has_one_of(text, {"block", "threads", "bdim"});
}

std::string size_of_dimension(const std::vector<std::string>& sizes, int dimension) {
  static const std::array<std::vector<std::string_view>, 3> kNames{
      {{"nx", "width", "w", "cols", "columns", "ncols", "numcols", "n", "xsize", "sizex", "dimx"},
       {"ny", "height", "h", "rows", "nrows", "numrows", "m", "ysize", "sizey", "dimy"},
       {"nz", "depth", "d", "batch", "planes", "channels", "zsize", "sizez", "dimz"}}};
  for (const std::string_view wanted : kNames[static_cast<std::size_t>(dimension)]) {
    for (const std::string& size : sizes) {
      if (folded(size) == wanted) return size;
    }
  }
  return {};
}

std::vector<std::int64_t> values_around(std::string_view name, std::int64_t value) {
  if (sounds_like_block(name) && value >= 32) return threads_around(value, true);
  if (folded(name).find("pad") != std::string::npos) return with({0, 1, 2, 4}, value);
  if (value <= 8) return with({1, 2, 4, 8}, value);
  return with({value / 2, value * 2}, value);
}

std::vector<std::int64_t> threads_around(std::int64_t value, bool is_only_dimension) {
  if (is_only_dimension) return with({64, 128, 256, 512, 1024}, value);
  if (value <= 8) return with({1, 2, 4, 8, 16}, value);
  return with({value / 2, value * 2}, value);
}

}  // namespace tuner
