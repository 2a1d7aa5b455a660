#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/skeleton/kernel_skeleton.hpp"
#include "tuner/core/skeleton/plain_source.hpp"

namespace tuner {

/// `text` in the place of [begin, end) of a source.
struct Edit {
  std::size_t begin = 0, end = 0;
  std::string text;
};
std::string apply(std::string text, std::vector<Edit> edits);

/// Behind the line that ends before `at` and a byte order mark, or `at` itself where its line has other code in front.
std::size_t line_begin(const std::string& text, std::size_t at);

/// What a proposal changes in the source beside its own lines: constants are put within `#ifndef`, those in `guarded`
/// are already. Returns lines that belong in front of the directives.
std::string add_changes(const KernelSkeleton& proposed, std::set<std::string>& guarded, std::vector<Edit>& edits);

/// Of files with host code that launches its kernels (`elsewhere`) behind its own text.
PlainSource read_own_source(std::string_view text, std::string_view elsewhere);
/// The kernels in its first `size` characters.
std::vector<const PlainFunction*> own_kernels(const PlainSource& source, std::size_t size);
/// Whether `name` is that of the function, with or without its namespaces.
bool is_kernel_called(const PlainFunction& function, std::string_view name);

}  // namespace tuner
