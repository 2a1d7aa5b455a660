#include "tests/kernel_sources/case_list.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tuner::host {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Values parse_values(const std::string& text) {
  Values values;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) throw std::runtime_error("'" + item + "' is not NAME=expression");
    values.emplace_back(trimmed(item.substr(0, equals)), search::Expression::parse(trimmed(item.substr(equals + 1))));
  }
  return values;
}

void read_line(const std::string& word, const std::string& text, CaseList& list) {
  if (word == "constants")
    list.constants.push_back(parse_values(text));
  else if (word == "sizes")
    list.sizes.push_back(parse_values(text));
  else if (word == "space")
    list.space = parse_values(text);
  else if (word == "pairs")
    list.pairs = text;
  else if (word == "same")
    list.same.push_back(text);
  else if (word == "also")
    list.also.push_back(text);
  else
    throw std::runtime_error("'" + word + "' is not constants, sizes, space, pairs, same or also");
}

}  // namespace

CaseList read_case_list(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file.string() + " cannot be read");
  CaseList list;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    const std::size_t end = line.find_first_of(" \t");
    try {
      read_line(line.substr(0, end), end == std::string::npos ? "" : trimmed(line.substr(end)), list);
    } catch (const std::exception& error) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return list;
}

}  // namespace tuner::host
