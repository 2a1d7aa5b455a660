#include "tuner/core/t1/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "search/expression/expression.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

std::string expression(const T1Node& node, const T1Names& names) {
  return t1_whole(t1_expression(node, names, T1Use::configuration));
}

/// X, Y and Z of LocalSize or GlobalSize; 1 where one is missing.
std::vector<std::string> extents(const T1Node& node, const T1Names& names) {
  std::vector<std::string> result;
  for (const char* dimension : kDimensions) {
    const auto extent = node.find(dimension);
    result.push_back(extent ? expression(*extent, names) : "1");
  }
  return result;
}

std::string factor(const std::string& text) {
  return is_identifier(text) || text.find_first_not_of("0123456789") == std::string::npos ? text : "(" + text + ")";
}

/// The product of GridDivX; nothing if it is missing or an empty list.
std::optional<std::string> divisor(const T1Node& specification, const char* dimension, const T1Names& names) {
  const auto node = specification.find(fmt::format("GridDiv{}", dimension));
  if (!node) return std::nullopt;
  if (!node->is_array()) return expression(*node, names);
  std::string product;
  for (const T1Node& element : node->elements()) {
    product += (product.empty() ? "" : " * ") + factor(expression(element, names));
  }
  return product.empty() ? std::nullopt : std::optional(product);
}

bool is_opencl(const T1Node& specification) {
  const auto node = specification.find("GlobalSizeType");
  if (!node || node->string() == "CUDA" || node->string() == "cuda") return false;
  if (node->string() == "OpenCL" || node->string() == "opencl") return true;
  node->fail("unknown type `{}`; GlobalSize counts blocks (CUDA) or threads (OpenCL)", node->string());
}

/// By dimension, the extent that is divided; empty where none is given.
std::vector<std::string> problem_extents(const T1Names& names) {
  std::vector<std::string> sizes = names.problem_size;
  if (!sizes.empty()) sizes.resize(3, "1");
  return sizes;
}

void warn_of_unused(const T1Node& global, const std::vector<std::string>& extents) {
  global.warn("{} is not used: the grid is ProblemSize divided by GridDivX, GridDivY and GridDivZ.",
              fmt::join(extents, " x "));
}

bool says_the_same(const std::vector<std::string>& global, const T1Node& specification) {
  const T1Node node = specification.need("ProblemSize");
  const std::vector<T1Node> sizes = node.is_array() ? node.elements() : std::vector<T1Node>{node};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string size = i < sizes.size() && sizes[i].is_number() ? sizes[i].value().text() : "1";
    if (global[i] != size) return false;
  }
  return true;
}

}  // namespace

std::vector<T1Line> T1Launch::lines(const std::vector<std::string>& further_shared_bytes) const {
  const auto list = [](std::vector<std::string> extents) {
    while (extents.size() > 1 && extents.back() == "1") extents.pop_back();
    return fmt::format("{}", fmt::join(extents, ", "));
  };
  std::vector<T1Line> lines{{fmt::format("grid({})", list(grid)), grid_path},
                            {fmt::format("block({})", list(block)), block_path}};
  std::string bytes = shared == "0" ? "" : shared;
  for (const std::string& further : further_shared_bytes) bytes += (bytes.empty() ? "" : " + ") + further;
  if (!bytes.empty()) lines.push_back({fmt::format("shared({})", bytes), shared_path});
  return lines;
}

void read_t1_problem_size(const T1Node& specification, T1Names& names, std::vector<T1Property>& properties) {
  const auto node = specification.find("ProblemSize");
  if (!node) return;
  const std::vector<T1Node> sizes = node->is_array() ? node->elements() : std::vector<T1Node>{*node};
  if (sizes.empty() || sizes.size() > 3) node->fail("has {} dimensions; valid are one to three", sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::int64_t size = 0;
    try {
      size = search::Expression::parse(t1_whole(t1_expression(sizes[i], names, T1Use::fixed)))
                 .evaluate_integer(search::Scope());
    } catch (const Error& error) {
      const std::string sentence = error.what();
      if (sentence.starts_with(specification.document().file().string())) throw;
      sizes[i].fail(sentence);
    }
    if (size < 1) sizes[i].fail("is {}; a size is at least 1", size);
    std::string name = fmt::format("problem_size_{}", "xyz"[i]);
    while (names.parameters.contains(name)) name = "t1_" + name;
    properties.push_back({name, size, sizes[i].path()});
  }
  // Only now: they cannot use each other.
  for (const T1Property& property : properties) names.problem_size.push_back(property.name);
}

T1Launch read_t1_launch(const T1Node& specification, const T1Names& names) {
  T1Launch launch;
  const T1Node local = specification.need("LocalSize");
  launch.block = extents(local, names);
  launch.block_path = local.path();
  const auto shared = specification.find("SharedMemory");
  launch.shared = shared ? expression(*shared, names) : "0";
  launch.shared_path = shared ? shared->path() : specification.path() + ".Arguments";

  std::array<std::optional<std::string>, 3> divisors;
  for (std::size_t i = 0; i < 3; ++i) divisors[i] = divisor(specification, kDimensions[i], names);
  const bool divides = std::any_of(divisors.begin(), divisors.end(), [](const auto& d) { return d.has_value(); });
  const bool opencl = is_opencl(specification);
  const auto global_node = specification.find("GlobalSize");
  const std::vector<std::string> global = global_node ? extents(*global_node, names) : std::vector<std::string>();
  std::vector<std::string> sizes = problem_extents(names);
  launch.grid_path = global_node ? global_node->path() : specification.path() + ".ProblemSize";
  if (sizes.empty() && global.empty()) specification.need("GlobalSize");
  if (!divides && !global.empty()) {
    for (std::size_t i = 0; i < 3; ++i) {
      launch.grid.push_back(opencl ? t1_quotient(global[i], launch.block[i]) : global[i]);
    }
    return launch;
  }
  if (divides) launch.grid_path = specification.path() + ".GridDivX";
  if (sizes.empty()) {
    sizes = global;
  } else if (!global.empty() && !says_the_same(global, specification)) {
    warn_of_unused(*global_node, global);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_flat = sizes[i] == "1" && !divisors[i];
    launch.grid.push_back(is_flat ? "1" : t1_quotient(sizes[i], divisors[i].value_or(launch.block[i])));
  }
  return launch;
}

}  // namespace tuner
