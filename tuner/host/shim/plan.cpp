#include "tuner/host/shim/plan.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace tuner::host {
namespace {

constexpr std::size_t kLongestWord = 8192;

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(std::fopen(file.c_str(), "r")) {
    if (file_ == nullptr) throw std::runtime_error(file + " cannot be opened");
  }
  ~Reader() { std::fclose(file_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool word(std::string& into) {
    char text[kLongestWord + 1];
    if (std::fscanf(file_, "%8192s", text) != 1) return false;
    into = text;
    return true;
  }
  std::string word() {
    std::string text;
    if (!word(text)) throw std::runtime_error("the plan ends too early");
    return text;
  }
  /// What is left of the line: names of files may have blanks.
  std::string rest() {
    char text[kLongestWord + 1];
    if (std::fscanf(file_, " %8192[^\n]", text) != 1) throw std::runtime_error("the plan ends too early");
    return text;
  }
  long long number() { return std::strtoll(word().c_str(), nullptr, 10); }
  unsigned small() { return static_cast<unsigned>(number()); }

 private:
  std::FILE* file_;
};

PlannedArgument::Role role(const std::string& word) {
  using Role = PlannedArgument::Role;
  if (word == "in") return Role::in;
  if (word == "out") return Role::out;
  if (word == "inout") return Role::inout;
  if (word == "scratch") return Role::scratch;
  if (word == "constant") return Role::constant;
  throw std::runtime_error("the plan says " + word);
}

PlannedArgument scalar(Reader& reader) {
  PlannedArgument argument;
  argument.role = PlannedArgument::Role::scalar;
  argument.bytes = static_cast<std::size_t>(reader.number());
  const std::string digits = reader.word();
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    argument.value.push_back(static_cast<unsigned char>(std::strtoul(digits.substr(i, 2).c_str(), nullptr, 16)));
  return argument;
}

PlannedArgument value(Reader& reader) {
  PlannedArgument argument;
  argument.role = PlannedArgument::Role::value;
  argument.numbers.resize(static_cast<std::size_t>(reader.number()));
  for (PlannedNumber& number : argument.numbers) {
    number.real = std::strtod(reader.word().c_str(), nullptr);
    number.whole = reader.number();
    number.is_whole = reader.number();
  }
  return argument;
}

PlannedArgument buffer(PlannedArgument::Role role, Reader& reader) {
  PlannedArgument argument;
  argument.role = role;
  argument.bytes = static_cast<std::size_t>(reader.number());
  argument.alignment = static_cast<std::size_t>(reader.number());
  argument.padding = static_cast<std::size_t>(reader.number());
  argument.offset = reader.number();
  return argument;
}

std::vector<std::size_t> numbers(Reader& reader) {
  std::vector<std::size_t> result(static_cast<std::size_t>(reader.number()));
  for (std::size_t& number : result) number = static_cast<std::size_t>(reader.number());
  return result;
}

PlannedCase one_case(Reader& reader) {
  PlannedCase result;
  result.variant = static_cast<int>(reader.number());
  result.problem = static_cast<int>(reader.number());
  for (Index3* size : {&result.launch.grid, &result.launch.block}) {
    size->x = reader.small();
    size->y = reader.small();
    size->z = reader.small();
  }
  result.launch.shared_bytes = static_cast<std::size_t>(reader.number());
  return result;
}

}  // namespace

Plan read_plan(const std::string& file) {
  Reader reader(file);
  Plan plan;
  for (std::string word; reader.word(word);) {
    if (word == "inputs")
      plan.inputs = reader.rest();
    else if (word == "results")
      plan.results = reader.rest();
    else if (word == "reports")
      plan.reports = reader.rest();
    else if (word == "limit")
      plan.limit = reader.small();
    else if (word == "deaths")
      plan.deaths = reader.small();
    else if (word == "case")
      plan.cases.push_back(one_case(reader));
    else if (plan.cases.empty())
      throw std::runtime_error("the plan says " + word);
    else if (word == "takes")
      plan.cases.back().takes = numbers(reader);
    else if (word == "scalar")
      plan.cases.back().arguments.push_back(scalar(reader));
    else if (word == "value")
      plan.cases.back().arguments.push_back(value(reader));
    else
      plan.cases.back().arguments.push_back(buffer(role(word), reader));
  }
  return plan;
}

}  // namespace tuner::host
