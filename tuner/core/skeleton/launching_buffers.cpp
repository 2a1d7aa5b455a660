// How host code allocates and fills the buffers that it launches with.
#include <algorithm>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/skeleton/launching_code.hpp"

namespace tuner {
namespace {

using Kind = HostExpression::Kind;

constexpr int kMostFactors = 8;  // of a number of bytes, and variables for them

/// The name of a pointer or a variable, casts left out; empty for other expressions.
std::string plain_name(std::string_view written) {
  const auto parsed = parse_host_expression(written);
  return parsed && parsed->kind == Kind::name ? parsed->text : std::string();
}

/// "d" of `&d`, `(void**)&d`, `reinterpret_cast<void**>(&d)`; empty for what has no `&`.
std::string pointed_to(std::string_view written) {
  const std::size_t at = written.rfind('&');
  if (at == std::string_view::npos) return {};
  written = written.substr(at + 1);
  return plain_name(written.substr(0, written.find_last_not_of(") \t\r\n") + 1));
}

/// Of the kernel's; 0 if it is not known.
std::int64_t bytes_of_element(const PlainArgument& argument, const KernelSkeleton& skeleton) {
  const auto given = skeleton.given_types.find(argument.type);
  const auto shape = shape_of_type(given == skeleton.given_types.end() ? argument.type : given->second);
  if (!shape || !argument.question.empty()) return 0;
  return static_cast<std::int64_t>(size_of(shape->element)) * shape->lanes * argument.elements;
}

/// Whether `sizeof(of)` is the size of an element of the argument, which the host calls `pointer`.
bool is_element(const HostExpression& of, const PlainArgument& argument, const std::string& pointer,
                const KernelSkeleton& skeleton) {
  if (of.kind == Kind::element) return of.text == pointer;
  if (of.kind == Kind::operation) return of.text == "*" && of.operands.size() == 1 && of.operands[0].text == pointer;
  if (of.kind != Kind::name) return false;
  const auto given = skeleton.given_types.find(argument.type);
  if (of.text == argument.own_type || (given != skeleton.given_types.end() && of.text == given->second)) return true;
  const auto shape = shape_of_type(of.text);
  return shape && argument.elements == 1 &&
         static_cast<std::int64_t>(size_of(shape->element)) * shape->lanes == bytes_of_element(argument, skeleton);
}

}  // namespace

/// How many elements so many bytes are; nothing if the size of an element, `sizeof` or `unit`, is no factor of it.
std::optional<HostExpression> LaunchingCode::without_size(const HostExpression& bytes, const ElementSize& size,
                                                          const Spot& spot, int depth) const {
  const auto inner = [&](const HostExpression& part) { return without_size(part, size, spot, depth + 1); };
  const HostExpression one{Kind::number, "1", {}};
  if (depth > kMostFactors) return std::nullopt;
  if (bytes.kind == Kind::name) {
    const auto own = local(bytes.text, spot);
    return own ? inner(*own) : std::nullopt;
  }
  if (bytes.kind == Kind::number && size.unit > 0)
    return integer_of(bytes) == size.unit ? std::optional(one) : std::nullopt;
  if (bytes.kind == Kind::call) {
    const bool is_size = bytes.text == "sizeof" && bytes.operands.size() == 1 &&
                         is_element(bytes.operands[0], size.argument, size.pointer, skeleton_);
    return is_size ? std::optional(one) : std::nullopt;
  }
  if (bytes.kind != Kind::operation || bytes.text != "*" || bytes.operands.size() != 2) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    auto rest = inner(bytes.operands[i]);
    if (!rest) continue;
    if (rest->text == "1") return HostExpression(bytes.operands[1 - i]);
    return HostExpression{Kind::operation, "*", {*std::move(rest), bytes.operands[1 - i]}};
  }
  return std::nullopt;
}

/// The calls of functions that begin so, before the launch, in the order of the text, in the first scope that has any
/// of the argument's buffer.
std::vector<LaunchingCode::BufferCall> LaunchingCode::calls_of(const PlainArgument& argument, std::string_view begins,
                                                               std::string (*pointer_of)(std::string_view)) const {
  std::vector<BufferCall> found;
  std::string pointer = plain_name(passed(argument));
  for (std::size_t scope = 0; scope < scopes_.size() && !pointer.empty(); ++scope) {
    const std::string_view code = scopes_[scope].code;
    for (std::size_t at = code.find(begins); at != std::string_view::npos; at = code.find(begins, at + 1)) {
      std::size_t end = at;
      while (end < code.size() && is_word_character(code[end])) ++end;
      auto call = call_behind(code, end);
      if (!call || call->arguments.empty() || pointer_of(call->arguments.front()) != pointer) continue;
      found.push_back({code.substr(at, end - at), std::move(call->arguments), pointer, {scope, at}});
    }
    if (!found.empty() || scope + 1 == scopes_.size()) return found;
    const std::vector<std::string>& names = scopes_[scope + 1].names;
    const auto place = std::find(names.begin(), names.end(), pointer);
    if (place == names.end()) return found;
    pointer = plain_name(scopes_[scope + 1].passed[static_cast<std::size_t>(place - names.begin())]);
  }
  return found;
}

std::string LaunchingCode::length_of_bytes(const PlainArgument& argument, const BufferCall& call, std::size_t number,
                                           std::set<std::string>& constants) const {
  const auto bytes = call.arguments.size() > number ? parsed(call.arguments[number]) : std::nullopt;
  if (!bytes) return {};
  const auto text = [&](const std::optional<HostExpression>& elements) {
    return elements ? text_at(*elements, call.spot, {}, {}, &constants, 0).value_or("") : std::string();
  };
  const std::string said = text(without_size(*bytes, {argument, call.pointer, 0}, call.spot, 0));
  if (!said.empty()) return said;
  // Without a `sizeof`, `n * 4` is n floats, and `n` is n bytes.
  const std::int64_t unit = bytes_of_element(argument, skeleton_);
  if (unit == 0) return {};
  const std::string counted = text(without_size(*bytes, {argument, call.pointer, unit}, call.spot, 0));
  if (!counted.empty() && !has_word(counted, "sizeof")) return counted;
  return unit == 1 ? text(bytes) : std::string();
}

LaunchingCode::Allocation LaunchingCode::allocation(const PlainArgument& argument,
                                                    std::set<std::string>& constants) const {
  const std::vector<BufferCall> calls = calls_of(argument, "cudaMalloc", pointed_to);
  if (calls.empty()) return {};
  const std::string_view function = calls.front().function;
  const bool is_plain = function == "cudaMalloc" || function == "cudaMallocManaged" || function == "cudaMallocAsync";
  if (calls.size() > 1 || !is_plain) return {true, {}};  // twice: which one?
  return {true, length_of_bytes(argument, calls.front(), 1, constants)};
}

std::optional<LaunchingCode::Filling> LaunchingCode::filling(const PlainArgument& argument,
                                                             std::set<std::string>& constants) const {
  const std::vector<BufferCall> calls = calls_of(argument, "cudaMemset", plain_name);
  if (calls.empty() || calls.back().arguments.size() < 3) return std::nullopt;
  const BufferCall& last = calls.back();
  if (last.function != "cudaMemset" && last.function != "cudaMemsetAsync") return std::nullopt;
  const auto byte = parsed(last.arguments[1]);
  const auto value = byte ? integer_at(*byte, last.spot, 0) : std::nullopt;
  if (!value) return std::nullopt;
  return Filling{static_cast<std::uint8_t>(*value), length_of_bytes(argument, last, 2, constants)};
}

}  // namespace tuner
