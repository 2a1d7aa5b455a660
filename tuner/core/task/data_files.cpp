#include "tuner/core/task/data_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/base/text.hpp"
#include "tuner/core/task/argument_binding.hpp"
#include "tuner/core/task/input_file.hpp"
#include "tuner/core/task/npy.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

std::string type_text(ElementType type, int lanes) {
  return lanes > 1 ? fmt::format("{} with {} lanes", to_string(type), lanes) : std::string(to_string(type));
}

/// float4 data has a last dimension of 4, or of a multiple where nobody gave the lanes one of their own.
bool holds_lanes(const NpyHeader& header, std::uint64_t lanes) {
  return header.shape.empty() ? lanes == 1 : header.shape.back() % lanes == 0;
}

DataFile look_at(const fs::path& path, std::string_view what, const KernelDescription& description,
                 const Argument& described, const BoundArgument& argument) {
  const auto refuse = [&](Errc code, const std::string& why) {
    throw Error(code, fmt::format("{}: {}", argument_label(description, described, what), why));
  };
  NpyHeader header;
  try {
    header = read_npy_header(path);
  } catch (const Error& error) {
    refuse(error.code(), error.what());
  }
  const auto lanes = static_cast<std::uint64_t>(std::max(argument.lanes, 1));
  if (header.type != argument.type) {
    refuse(Errc::bad_description,
           fmt::format("{} contains {}, but `{}` is {}; convert one of them.", path.string(), to_string(header.type),
                       argument.name, type_text(argument.type, argument.lanes)));
  }
  if (header.elements != argument.length * lanes) {
    const std::string each = lanes > 1 ? fmt::format(" of {} numbers each", lanes) : "";
    refuse(Errc::bad_problem, fmt::format("{} contains {} numbers (shape {}), but `{}` has {} elements{} for this "
                                          "problem; choose the problem that the file belongs to.",
                                          path.string(), grouped(header.elements), shape_text(header.shape),
                                          argument.name, grouped(argument.length), each));
  }
  if (!holds_lanes(header, lanes)) {
    refuse(Errc::bad_description,
           fmt::format("{} has the shape {}, but its last dimension must be the {} lanes of `{}`.", path.string(),
                       shape_text(header.shape), lanes, argument.name));
  }
  DataFile data;
  data.path = fs::absolute(path);
  data.offset = header.offset;
  data.bytes = header.elements * size_of(header.type);
  try {
    data.hash = read_and_hash(data, [](std::span<const std::byte>) {});
  } catch (const Error& error) {
    refuse(error.code(), error.what());
  }
  return data;
}

}  // namespace

void look_at_files(const KernelDescription& description, std::vector<BoundArgument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    BoundArgument& argument = arguments[i];
    const Argument& described = description.arguments[i];
    if (argument.file) argument.file = look_at(argument.file->path, "the content", description, described, argument);
    if (argument.expected) {
      argument.expected = look_at(argument.expected->path, "what is expected", description, described, argument);
    }
  }
}

}  // namespace tuner
