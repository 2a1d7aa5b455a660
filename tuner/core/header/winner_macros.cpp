#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/header/header_macro.hpp"
#include "tuner/core/header/winner_styles.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

std::string in_upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// A name for each row; what would be one taken already gets the row's number.
std::vector<std::string> labels_of(const WinnerTable& table) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const WinnerTable::Row& row : table.rows()) {
    std::string name = in_upper_case(identifier_of(row.device));
    if (!row.problem_text.empty()) name += "_" + identifier_of(row.problem_text);
    while (!taken.insert(name).second) name += fmt::format("_{}", names.size() + 1);
    names.push_back(std::move(name));
  }
  return names;
}

class MacroWriter {
 public:
  MacroWriter(const WinnerTable& table, const HeaderRequest& request)
      : table_(table),
        request_(request),
        prefix_(in_upper_case(identifier_of(request.name_space)) + "_" + in_upper_case(identifier_of(table.kernel()))) {
  }

  std::string text() const {
    std::string text =
        fmt::format("// Choose one with -D{}=..., the baseline with 0; without that the first is taken.\n", prefix_);
    int number = 0;
    for (const std::string& label : labels_of(table_))
      text += fmt::format("#define {}_{} {}\n", prefix_, label, ++number);
    text += fmt::format("#ifndef {}\n#define {} 1\n#endif\n\n", prefix_, prefix_);
    text += words();
    number = 0;
    for (const WinnerTable::Row& row : table_.rows()) {
      text += fmt::format("{} {} == {}\n", number == 0 ? "\n#if" : "#elif", prefix_, number + 1);
      text += comment_line("", fmt::format("{}, {}: {}", row.device, row.problem_text, row.account));
      text += values(row.configuration) + launch(row);
      ++number;
    }
    return text + fmt::format(
                      "#elif {} == 0\n// the baseline\n{}#else\n#error \"{} names no winner of this header\"\n#endif\n",
                      prefix_, values(table_.baseline()), prefix_);
  }

 private:
  /// The words that parameters may have, as numbers.
  std::string words() const {
    std::string text;
    for (const auto& [name, column] : table_.columns()) {
      for (std::size_t i = 0; i < column.words.size(); ++i) {
        if (!request_.declared && is_standard_macro(name + "_" + column.words[i])) {
          refuse(name, search::Value(column.words[i]), "is a macro of the C library: name the kernel file");
        }
        text += fmt::format("#define {}_{} {}\n", name, column.words[i], column.first_number + static_cast<int>(i));
      }
    }
    return text;
  }

  std::string launch(const WinnerTable::Row& row) const {
    if (!row.launch) return {};
    std::string text;
    for (std::size_t d = 0; d < 3; ++d) {
      text += fmt::format("#define {}_GRID_{} {}\n", prefix_, "XYZ"[d], row.launch->grid[d]);
      text += fmt::format("#define {}_BLOCK_{} {}\n", prefix_, "XYZ"[d], row.launch->block[d]);
    }
    return text + fmt::format("#define {}_SHARED_BYTES {}\n", prefix_, row.launch->shared_bytes);
  }

  std::string values(const ColumnValues& values) const {
    std::string text;
    for (const auto& [name, value] : values) {
      const Column& column = table_.columns().at(name);
      std::string content = literal(value, name, column);
      if (column.kind == Column::Kind::boolean) content = value.as_boolean() ? "1" : "0";
      if (column.kind == Column::Kind::text) content = value.is_name() ? value.as_name() : value.text();
      if (content.starts_with('-') && column.kind != Column::Kind::text) content = "(" + content + ")";
      // Options of the compiler are no macros.
      const bool is_option = column.kind == Column::Kind::text && (content.empty() || content.starts_with('-'));
      if (is_option) {
        text += comment_line("", fmt::format("{} was compiled with the option {}", name, string_literal(content)));
        continue;
      }
      require_allowed(name, value, column.kind);
      text += fmt::format("#define {} {}\n", name, content);
    }
    return text;
  }

  /// A macro changes whatever has its name, and what it stands for is code: the kernel file may say both, a database
  /// may say neither.
  void require_allowed(const std::string& name, const search::Value& value, Column::Kind kind) const {
    if (!request_.declared) {
      if (!may_be_macro(name)) refuse(name, value, "may be a name used by other code: name the kernel file");
      if (kind == Column::Kind::text) refuse(name, value, "may be code: name the kernel file that has it");
      return;
    }
    const auto declared = request_.declared->find(table_.kernel());
    if (declared == request_.declared->end()) {
      refuse(name, value, "is not in the kernel file, which does not have this kernel: name the file that has both");
    }
    const auto values = declared->second.find(name);
    if (values == declared->second.end()) {
      refuse(name, value, "is not a parameter of it in the kernel file: tune again");
    }
    if (std::find(values->second.begin(), values->second.end(), value) == values->second.end()) {
      refuse(name, value, "is not one of the parameter's values in the kernel file: tune again");
    }
  }

  [[noreturn]] void refuse(const std::string& name, const search::Value& value, std::string_view why) const {
    throw Error(Errc::bad_usage,
                fmt::format("The kernel `{}` was tuned with {} = `{}`, which {}, or export constants with --style "
                            "constexpr.",
                            one_line(table_.kernel(), kLongestHeaderName), name,
                            one_line(value.text(), kLongestHeaderName), why));
  }

  const WinnerTable& table_;
  const HeaderRequest& request_;
  const std::string prefix_;
};

}  // namespace

std::string winner_macros(const WinnerTable& table, const HeaderRequest& request) {
  return MacroWriter(table, request).text();
}

}  // namespace tuner
