#include "tests/kernel_sources/case_list.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "search/expression/quoting.hpp"

namespace tuner::host {
namespace {

Values parse_values(const std::string& text) {
  Values values;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) throw std::runtime_error("'" + item + "' is not NAME=expression");
    values.emplace_back(search::trimmed(item.substr(0, equals)),
                        search::Expression::parse(search::trimmed(item.substr(equals + 1))));
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
    line = std::string(search::trimmed(line));
    if (line.empty() || line[0] == '#') continue;
    const std::size_t end = line.find_first_of(" \t");
    try {
      read_line(line.substr(0, end),
                std::string(search::trimmed(std::string_view(line).substr(std::min(end, line.size())))), list);
    } catch (const std::exception& error) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return list;
}

}  // namespace tuner::host
