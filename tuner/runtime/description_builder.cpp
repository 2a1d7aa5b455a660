#include "tuner/description_builder.hpp"

#include <fmt/format.h>

#include <utility>

#include "search/expression/value.hpp"
#include "tuner/runtime/description_content.hpp"
#include "tuner/runtime/problem_values.hpp"

namespace tuner {
namespace {

std::string property(std::string_view name, std::string_view kind, const std::optional<ProblemValue>& default_value) {
  return default_value ? fmt::format("problem({}: {} = {})", name, kind, search_value(*default_value).text())
                       : fmt::format("problem({}: {})", name, kind);
}

std::string buffer(std::string_view role, std::string_view name, std::string_view type, std::string_view length,
                   std::string_view details) {
  return fmt::format("{}({}, {}, {}{}{})", role, name, type, length, details.empty() ? "" : ", ", details);
}

}  // namespace

DescriptionBuilder::DescriptionBuilder(std::string_view kernel, std::string_view source)
    : kernel_(kernel), source_(source) {}

DescriptionBuilder& DescriptionBuilder::add(std::string text) {
  directives_.push_back(std::move(text));
  return *this;
}

DescriptionBuilder& DescriptionBuilder::header(Header header) {
  headers_.push_back(std::move(header));
  return *this;
}

DescriptionBuilder& DescriptionBuilder::size(std::string_view name, std::optional<ProblemValue> default_value) {
  return add(property(name, "size", default_value));
}
DescriptionBuilder& DescriptionBuilder::exact(std::string_view name, std::optional<ProblemValue> default_value) {
  return add(property(name, "exact", default_value));
}
DescriptionBuilder& DescriptionBuilder::constant(std::string_view name, std::optional<ProblemValue> default_value) {
  return add(property(name, "constant", default_value));
}
DescriptionBuilder& DescriptionBuilder::problem_constraint(std::string_view expression) {
  return add(fmt::format("problem_constraint({})", expression));
}

DescriptionBuilder& DescriptionBuilder::parameter(std::string_view name, std::initializer_list<ProblemValue> values,
                                                  ProblemValue default_value) {
  std::string list;
  for (const ProblemValue& value : values) list += fmt::format(", {}", search_value(value).text());
  return add(fmt::format("param({}{}; default {})", name, list, search_value(default_value).text()));
}
DescriptionBuilder& DescriptionBuilder::constraint(std::string_view expression) {
  return add(fmt::format("constraint({})", expression));
}
DescriptionBuilder& DescriptionBuilder::let(std::string_view name, std::string_view expression) {
  return add(fmt::format("let({} = {})", name, expression));
}
DescriptionBuilder& DescriptionBuilder::define(std::string_view name, std::string_view expression) {
  return add(fmt::format("define({} = {})", name, expression));
}

DescriptionBuilder& DescriptionBuilder::grid(std::string_view expressions) {
  return add(fmt::format("grid({})", expressions));
}
DescriptionBuilder& DescriptionBuilder::block(std::string_view expressions) {
  return add(fmt::format("block({})", expressions));
}
DescriptionBuilder& DescriptionBuilder::shared(std::string_view bytes) {
  return add(fmt::format("shared({})", bytes));
}

DescriptionBuilder& DescriptionBuilder::in(std::string_view name, std::string_view type, std::string_view length,
                                           std::string_view details) {
  return add(buffer("in", name, type, length, details));
}
DescriptionBuilder& DescriptionBuilder::out(std::string_view name, std::string_view type, std::string_view length,
                                            std::string_view details) {
  return add(buffer("out", name, type, length, details));
}
DescriptionBuilder& DescriptionBuilder::inout(std::string_view name, std::string_view type, std::string_view length,
                                              std::string_view details) {
  return add(buffer("inout", name, type, length, details));
}
DescriptionBuilder& DescriptionBuilder::scratch(std::string_view name, std::string_view type, std::string_view length) {
  return add(buffer("scratch", name, type, length, {}));
}
DescriptionBuilder& DescriptionBuilder::scalar(std::string_view name, std::string_view type, std::string_view value) {
  return add(fmt::format("scalar({}, {}{}{})", name, type, value.empty() ? "" : ", value ", value));
}

DescriptionBuilder& DescriptionBuilder::value(std::string_view name, std::string_view type, std::string_view members) {
  return add(fmt::format("value({}, {}{}{})", name, type, members.empty() ? "" : ", ", members));
}

DescriptionBuilder& DescriptionBuilder::constant_array(std::string_view name, std::string_view type,
                                                       std::string_view length, std::string_view details) {
  return add(buffer("constant", name, type, length, details));
}

DescriptionBuilder& DescriptionBuilder::directive(std::string_view text) {
  return add(std::string(text));
}

Description DescriptionBuilder::build() const {
  // Behind the source, so that its lines keep their numbers in the compiler's messages.
  std::string text = source_;
  if (!text.ends_with('\n')) text += '\n';
  text += fmt::format("#pragma tuner kernel({})\n", kernel_);
  for (const std::string& directive : directives_) text += fmt::format("#pragma tuner {}\n", directive);
  const std::string name = kernel_.substr(0, kernel_.find('<'));
  const auto content = std::make_shared<const Description::Content>(
      std::move(text), name + " (described in code)", name, headers_, std::vector<std::filesystem::path>{});
  content->parsed();
  return Description(content);
}

}  // namespace tuner
