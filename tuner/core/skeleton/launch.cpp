// Block, grid and dynamic shared memory: as a host function launches the kernel, else as its indices suggest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/skeleton/guesses.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"
#include "tuner/core/skeleton/launching_code.hpp"
#include "tuner/core/skeleton/plain_constants.hpp"

namespace tuner {
namespace {

constexpr std::string_view kDimensions = "xyz";

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// What `__launch_bounds__` promises: the text and where it stands.
struct Bounds {
  std::string text;
  std::size_t begin = 0, end = 0;
};

std::optional<Bounds> launch_bounds(const KernelSkeleton& skeleton) {
  const std::string_view code = skeleton.source.code.code;
  const std::size_t at = find_word(code, "__launch_bounds__", skeleton.kernel.begin);
  if (at == std::string_view::npos || at > skeleton.kernel.body) return std::nullopt;
  const std::size_t open = code.find('(', at);
  const std::size_t end = std::min(code.find_first_of(",)", open), code.size());
  return Bounds{std::string(search::trimmed(code.substr(open + 1, end - open - 1))), open + 1, end};
}

/// The constant that the kernel uses and that has this value, of those that are declared together; empty if none has.
std::string constant_of_value(const KernelSkeleton& skeleton, std::int64_t value) {
  for (const DerivedConstant& constant : skeleton.source.derived) {
    if (literal_value(constant.expression) == value && skeleton.use.mentions(constant.name)) return constant.name;
  }
  return "";
}

/// The name of a new parameter for a dimension of the block.
std::string add_block_parameter(KernelSkeleton& skeleton, std::size_t dimension, bool is_only, std::int64_t value) {
  static constexpr std::array<const char*, 3> kNames{"BLOCK_X", "BLOCK_Y", "BLOCK_Z"};
  const std::string name =
      is_only ? skeleton.free_name({"BLOCK_SIZE", "BLOCK_THREADS"}) : skeleton.free_name({kNames[dimension]});
  std::vector<std::int64_t> values = threads_around(value, is_only);
  if (skeleton.use.mentions(std::to_string(value)) && value > 1) {
    skeleton.ask(
        fmt::format("The kernel has the number {} in its text too. Write {} where it means the size of the "
                    "block, within #ifndef, and add values: {}.",
                    value, name, fmt::join(values, ", ")));
    values = {value};
  } else if (const std::string constant = constant_of_value(skeleton, value); !constant.empty() && value > 1) {
    skeleton.ask(
        fmt::format("{} has the value {} too. If it means the size of the block, declare it on its own, write "
                    "{} for it, within #ifndef, and add values: {}.",
                    constant, value, name, fmt::join(values, ", ")));
    values = {value};
  }
  skeleton.tune(name, value, values);
  return name;
}

/// The parameter that is already there for a block of so many threads; empty if there is none.
std::string block_parameter(const KernelSkeleton& skeleton, std::int64_t value) {
  for (const auto& [name, present] : skeleton.parameters) {
    if (present == value && sounds_like_block(name)) return name;
  }
  return {};
}

/// What the kernel's own index has for the block, `TILE` in `blockIdx.x * TILE`, if expressions can name it.
std::string indexing_name(const KernelSkeleton& skeleton, std::size_t dimension) {
  const auto factor = skeleton.use.elements_per_block(fmt::format("blockIdx.{}", kDimensions.at(dimension)));
  if (!factor || factor->kind != HostExpression::Kind::name || !skeleton.names.contains(factor->text)) return {};
  return skeleton.names.at(factor->text);
}

/// The same if it is a parameter with this value.
std::string indexing_parameter(const KernelSkeleton& skeleton, std::size_t dimension, std::int64_t value) {
  std::string name = indexing_name(skeleton, dimension);
  const auto parameter = skeleton.parameters.find(name);
  return parameter != skeleton.parameters.end() && parameter->second == value ? name : std::string();
}

void set_block_from_host(KernelSkeleton& skeleton, const LaunchingCode& host,
                         std::map<std::string, std::string>& literals) {
  const std::vector<HostExpression> extents = host.extents(skeleton.launch->configuration.at(1));
  std::vector<std::string> texts;
  for (const HostExpression& extent : extents) {
    const auto text = host.text(extent, {});
    if (!text) return;
    texts.push_back(*text);
  }
  while (texts.size() > 1 && texts.back() == "1") texts.pop_back();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (is_number(texts[i]) && texts[i] != "1" && texts[i].size() < 5) {
      const std::int64_t value = std::stoll(texts[i]);
      std::string name = texts.size() == 1 ? block_parameter(skeleton, value) : indexing_parameter(skeleton, i, value);
      if (name.empty()) name = add_block_parameter(skeleton, i, texts.size() == 1, value);
      literals.emplace(texts[i], name);
      if (extents[i].kind == HostExpression::Kind::name) skeleton.block_constants.emplace(extents[i].text, name);
      texts[i] = name;
    }
    skeleton.block.push_back(texts[i]);
  }
}

/// What the constants and the indices of the kernel suggest.
void guess_block(KernelSkeleton& skeleton) {
  const int dimensions = skeleton.use.dimensions();
  if (const auto bounds = launch_bounds(skeleton); bounds && dimensions == 1) {
    const auto parsed = parse_host_expression(bounds->text);
    const auto text = parsed ? skeleton.expression(*parsed) : std::nullopt;
    if (text && is_number(*text) && text->size() < 5) {
      const std::string known = block_parameter(skeleton, std::stoll(*text));
      skeleton.block = {known.empty() ? add_block_parameter(skeleton, 0, true, std::stoll(*text)) : known};
    } else if (text) {
      skeleton.block = {*text};
    }
    if (!skeleton.block.empty()) return;
  }
  std::vector<std::string> block;
  for (int i = 0; i < dimensions; ++i) {
    std::string name = indexing_name(skeleton, static_cast<std::size_t>(i));
    if (!name.empty()) block.push_back(std::move(name));
  }
  if (block.size() == static_cast<std::size_t>(dimensions)) {
    skeleton.block = block;
    return;
  }
  if (dimensions == 1) {
    for (const auto& [name, value] : skeleton.parameters) {
      if (sounds_like_block(name)) skeleton.block = {name};
    }
    if (!skeleton.block.empty()) return;
  }
  static constexpr std::array<std::array<std::int64_t, 3>, 3> kUsual{{{256, 1, 1}, {32, 8, 1}, {32, 4, 2}}};
  skeleton.ask("How many threads does a block have? These numbers are guesses.");
  for (int i = 0; i < dimensions; ++i) {
    const auto dimension = static_cast<std::size_t>(i);
    skeleton.block.push_back(add_block_parameter(skeleton, dimension, dimensions == 1,
                                                 kUsual[static_cast<std::size_t>(dimensions - 1)][dimension]));
  }
}

/// A number in `__launch_bounds__` becomes the parameter, or a constraint.
void honour_launch_bounds(KernelSkeleton& skeleton) {
  const auto bounds = launch_bounds(skeleton);
  if (!bounds || !is_number(bounds->text)) return;
  const std::string& name = skeleton.block.front();
  const auto parameter = skeleton.parameters.find(name);
  const bool is_same = skeleton.block.size() == 1 && parameter != skeleton.parameters.end() &&
                       std::to_string(parameter->second) == bounds->text;
  if (!is_same || has_word(skeleton.source.code.code, name)) {
    skeleton.lines.push_back(fmt::format("constraint({} <= {})", fmt::join(skeleton.block, " * "), bounds->text));
    return;
  }
  skeleton.removals.emplace_back(bounds->begin, bounds->end);
  skeleton.insertions.push_back({bounds->begin, name});
  skeleton.guarded.insert(name);
}

void set_extents(KernelSkeleton& skeleton) {
  for (int i = 0; i < 3; ++i) {
    const std::string index = fmt::format("blockIdx.{}", kDimensions[static_cast<std::size_t>(i)]);
    const std::string called = size_of_dimension(skeleton.sizes, i);
    if (!called.empty())
      skeleton.use.set_extent(index, called);
    else if (!skeleton.sizes.empty())
      skeleton.use.set_extent(index, skeleton.sizes.front());
  }
}

/// `n * n` blocks of a launch that passes `n` for rows and columns are `rows * columns`.
std::string without_squares(std::string text, const std::set<std::vector<std::string>>& undecided) {
  for (const std::vector<std::string>& sizes : undecided) {
    for (const std::string& size : sizes) {
      const std::string square = fmt::format("{0} * {0}", size);
      const std::size_t at = sizes.size() == 2 ? find_word(text, square) : std::string::npos;
      if (at != std::string::npos) text.replace(at, square.size(), fmt::format("{} * {}", sizes[0], sizes[1]));
    }
  }
  return text;
}

bool set_grid_from_host(KernelSkeleton& skeleton, LaunchingCode& host) {
  const std::vector<HostExpression> extents = host.extents(skeleton.launch->configuration.front());
  std::vector<std::string> grid;
  std::set<std::string> constants;
  for (const HostExpression& extent : extents) {
    LaunchingCode::Literals own;  // 16 is the block's extent in this dimension where it divides
    const auto parameter = grid.size() < skeleton.block.size() ? skeleton.parameters.find(skeleton.block[grid.size()])
                                                               : skeleton.parameters.end();
    if (parameter != skeleton.parameters.end() && parameter->second > 1)
      own.emplace(std::to_string(parameter->second), parameter->first);
    const std::string index = fmt::format("blockIdx.{}", kDimensions[std::min<std::size_t>(grid.size(), 2)]);
    host.prefer(skeleton.use.extent_of(index).value_or(""));
    const auto text = host.text(extent, {}, own, &constants);
    if (!text) return false;
    grid.push_back(without_squares(*text, host.undecided()));
    for (const std::string& size : skeleton.sizes) {
      if (has_word(*text, size)) skeleton.use.set_extent(index, size);
    }
  }
  skeleton.undecided.insert(host.undecided().begin(), host.undecided().end());
  while (grid.size() > 1 && grid.back() == "1") grid.pop_back();
  skeleton.grid = std::move(grid);
  skeleton.declare(constants);
  return !skeleton.grid.empty();
}

/// A grid without a size launches other sizes wrong where the launch computes it, or the kernel's index ends at a size.
void ask_about_fixed_grid(KernelSkeleton& skeleton, const LaunchingCode& host) {
  const std::string grid = fmt::format("{}", fmt::join(skeleton.grid, " x "));
  const bool has_size = std::any_of(skeleton.sizes.begin(), skeleton.sizes.end(),
                                    [&](const std::string& size) { return has_word(grid, size); });
  if (has_size || skeleton.use.mentions("gridDim")) return;
  bool is_computed = false;
  for (const HostExpression& extent : host.extents(skeleton.launch->configuration.front())) {
    for (const std::string& name : names_in(extent)) {
      if (skeleton.source.constant(name) == nullptr) is_computed = true;
    }
  }
  if (is_computed || skeleton.use.extent_of("blockIdx.x")) {
    skeleton.ask(
        fmt::format("The grid of the launch is {}, whatever the sizes are. How does it depend on them?", grid));
  }
}

void ask_about_guessed_grid(KernelSkeleton& skeleton) {
  if (skeleton.launch != nullptr && !skeleton.launch->configuration.empty()) {
    skeleton.ask(fmt::format("The launch has `{}` for its grid. That is not understood, so these blocks are a guess.",
                             skeleton.launch->configuration.front()));
  } else if (skeleton.use.ends_at_quotient()) {
    skeleton.ask("The kernel divides its index before it compares it with a size. Are these blocks enough?");
  }
}

void guess_grid(KernelSkeleton& skeleton) {
  const int dimensions = skeleton.use.dimensions();
  for (int i = 0; i < dimensions; ++i) {
    const std::string index = fmt::format("blockIdx.{}", kDimensions[static_cast<std::size_t>(i)]);
    const auto factor = skeleton.use.elements_per_block(index);
    const auto extent = skeleton.use.extent_of(index);
    const auto each = factor ? skeleton.expression(*factor) : std::nullopt;
    if (!factor) {
      skeleton.ask(fmt::format("The kernel does not name {}. Is one block in this dimension enough?", index));
      skeleton.grid.emplace_back("1");
    } else if (!extent || !each) {
      skeleton.ask(
          fmt::format("How many blocks are there in the dimension {}?", kDimensions[static_cast<std::size_t>(i)]));
      const std::string threads = i < static_cast<int>(skeleton.block.size()) ? skeleton.block[i] : "1";
      skeleton.grid.push_back(!extent          ? "1"
                              : threads == "1" ? *extent
                                               : fmt::format("ceil_div({}, {})", *extent, threads));
    } else {
      skeleton.grid.push_back(*each == "1" ? *extent : fmt::format("ceil_div({}, {})", *extent, *each));
    }
  }
  while (skeleton.grid.size() > 1 && skeleton.grid.back() == "1") skeleton.grid.pop_back();
}

/// The type of `extern __shared__ __align__(16) float values[];`, if there is such an array.
std::string dynamic_shared_type(const KernelSkeleton& skeleton) {
  const std::string_view body = skeleton.source.body(skeleton.kernel);
  const std::size_t at = find_word(body, "extern");
  const std::size_t shared = at == std::string_view::npos ? at : find_word(body, "__shared__", at);
  if (shared == std::string_view::npos) return {};
  const std::string_view declaration = body.substr(shared + 10, body.find(';', shared) - shared - 10);
  std::string_view type = declaration.substr(0, declaration.find(declared_name(declaration)));
  type = search::trimmed(type.substr(type.rfind(')') + 1));  // npos + 1 is 0
  const auto known = skeleton.names.find(std::string(type));
  if (known != skeleton.names.end()) return known->second;
  return shape_of_type(type) ? std::string(type) : "float";
}

/// The bytes of the launch, for other types too where the kernel's array has a type that may vary.
std::string bytes_for_any_type(KernelSkeleton& skeleton, std::string bytes) {
  const std::string own = dynamic_shared_type(skeleton);
  const auto given = skeleton.given_types.find(own);
  if (given != skeleton.given_types.end()) {
    const std::string fixed = fmt::format("sizeof({})", given->second);
    if (const std::size_t at = bytes.find(fixed); at != std::string::npos)
      bytes.replace(at, fixed.size(), fmt::format("sizeof({})", own));
  }
  const bool is_raw = own == "char" || own == "unsigned char";
  const bool has_type = std::any_of(skeleton.given_types.begin(), skeleton.given_types.end(),
                                    [&](const auto& type) { return has_word(bytes, type.first); });
  if (!has_type && !skeleton.given_types.empty() && (is_raw || given != skeleton.given_types.end())) {
    skeleton.ask(fmt::format(
        "The launch gives {} bytes of shared memory, whatever the type. Are they enough for others?", bytes));
  }
  return bytes;
}

void set_shared(KernelSkeleton& skeleton, const LaunchingCode* host,
                const std::map<std::string, std::string>& literals) {
  if (host != nullptr && skeleton.launch->configuration.size() > 2) {
    const auto parsed = parse_host_expression(skeleton.launch->configuration[2]);
    const auto text = parsed ? host->text(*parsed, literals) : std::nullopt;
    if (text && *text != "0") skeleton.shared_bytes = bytes_for_any_type(skeleton, *text);
    if (text) return;
  }
  const std::string type = dynamic_shared_type(skeleton);
  if (type.empty()) return;
  skeleton.ask("How many bytes of dynamic shared memory are needed? One element for each thread is a guess.");
  skeleton.shared_bytes = fmt::format("{} * sizeof({})", fmt::join(skeleton.block, " * "), type);
}

}  // namespace

void propose_launch(KernelSkeleton& skeleton) {
  std::optional<LaunchingCode> host;
  std::map<std::string, std::string> literals;
  if (skeleton.launch != nullptr && skeleton.launch->configuration.size() >= 2) {
    host.emplace(skeleton);
    set_block_from_host(skeleton, *host, literals);
  }
  if (skeleton.block.empty()) guess_block(skeleton);
  honour_launch_bounds(skeleton);
  set_extents(skeleton);
  const bool is_known = host && set_grid_from_host(skeleton, *host);
  if (is_known) {
    ask_about_fixed_grid(skeleton, *host);
  } else {
    ask_about_guessed_grid(skeleton);
    guess_grid(skeleton);
  }
  const bool has_partial_results =
      std::any_of(skeleton.arguments.begin(), skeleton.arguments.end(),
                  [&](const PlainArgument& argument) { return has_element_a_block(skeleton, argument); });
  if (skeleton.use.mentions("gridDim") && !has_partial_results) {
    skeleton.ask("The kernel strides by gridDim. Fewer blocks may be faster: should a param choose how many?");
  }
  set_shared(skeleton, host ? &*host : nullptr, literals);
  std::string line = fmt::format("grid({}) block({})", fmt::join(skeleton.grid, ", "), fmt::join(skeleton.block, ", "));
  if (!skeleton.shared_bytes.empty()) line += fmt::format(" shared({})", skeleton.shared_bytes);
  skeleton.lines.push_back(std::move(line));
}

}  // namespace tuner
