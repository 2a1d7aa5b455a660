#include "tuner/core/t1/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/signature/written_signature.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/t1/arguments.hpp"
#include "tuner/core/t1/baseline.hpp"
#include "tuner/core/t1/launch.hpp"
#include "tuner/core/t1/options.hpp"
#include "tuner/core/t1/parameters.hpp"
#include "tuner/core/t1/signature.hpp"
#include "tuner/core/t1/unmentioned.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

class T1Reader {
 public:
  T1Reader(std::string_view text, const fs::path& file) : document_(file, text), root_(document_.root()) {}

  T1Description read() {
    read_labels();
    const T1Node specification = root_.need("KernelSpecification");
    const T1Node space = root_.need("ConfigurationSpace");
    require_cuda(specification);
    read_constants();
    parameters_ = read_t1_parameters(space);
    for (const T1Parameter& parameter : parameters_) names_.parameters[parameter.name] = parameter.values;
    read_t1_problem_size(specification, names_, properties_);
    conditions_ = read_t1_conditions(space, names_);
    read_source(specification);
    const T1Launch launch = read_t1_launch(specification, names_);
    const T1Options options = read_t1_options(specification);
    read_headers(options.folders);
    const WrittenSource written(text_, headers_);
    const T1Surroundings around{
        names_, document_.file().parent_path(), kernel_file_.parent_path(), kernel_, read_code(source_), written};
    T1Arguments arguments = read_t1_arguments(specification, around, properties_);
    add_macros(launch);
    if (!written.lacks_headers()) add_constants();
    for (T1Line& line : launch.lines(arguments.shared_bytes)) rest_.push_back(std::move(line));
    for (T1Line& line : arguments.lines) rest_.push_back(std::move(line));
    if (!options.line.directive.empty()) rest_.push_back(options.line);

    T1Description result{understood(), {}};
    mend_baseline(result.kernel);
    check_mentions(specification, written, result.kernel);
    document_.report_unknown_keys();
    result.warnings = document_.take_warnings();
    return result;
  }

 private:
  /// What names the file or tells other tuners how to go about it.
  void read_labels() {
    for (const char* label : {"$schema", "Metadata", "verification", "Verification"}) root_.find(label);
    if (const auto general = root_.find("General")) {
      for (const char* label : {"BenchmarkName", "BenchmarksPath", "FormatVersion"}) general->find(label);
      for (const char* setting : {"LoggingLevel", "TimeUnit", "OutputFile", "OutputFormat"}) {
        if (const auto node = general->find(setting)) node->set_aside();
      }
    }
    for (const char* setting : {"Search", "SearchSettings", "Budget"}) {
      if (const auto node = root_.find(setting)) node->set_aside();
    }
  }

  void require_cuda(const T1Node& specification) {
    const T1Node language = specification.need("Language");
    std::string name = language.string();
    for (char& c : name) c = in_lower_case(c);
    if (name != "cuda" && name != "cupy") {
      language.fail("kernels in `{}` cannot be compiled here; only CUDA C++ can{}", language.string(),
                    name == "hip" ? ": set it to CUDA if the source avoids what only HIP has" : "");
    }
    for (const char* label : {"BenchmarkName", "BenchmarkPath"}) specification.find(label);
    for (const char* setting : {"Device", "Profiling", "SimulationInput", "Stream", "Misc", "ReferenceData"}) {
      const auto node = specification.find(setting);
      const bool is_off = node && node->path().ends_with("Profiling") && !node->flag();
      if (node && !is_off) node->set_aside();
    }
  }

  /// BenchmarkConfig: numbers that expressions and the source may name.
  void read_constants() {
    const auto general = root_.find("General");
    for (const auto& config :
         {general ? general->find("BenchmarkConfig") : std::nullopt, root_.find("BenchmarkConfig")}) {
      if (!config) continue;
      for (const std::string& key : config->keys()) {
        const auto node = config->find(key);
        if (!node) continue;
        if (node->is_number() && is_identifier(key)) {
          names_.constants[key] = node->value();
          constant_paths_[key] = node->path();
        } else {
          node->set_aside();
        }
      }
    }
  }

  void read_source(const T1Node& specification) {
    const T1Node node = specification.need("KernelFile");
    const fs::path named(node.string());
    kernel_file_ = named.is_absolute() ? named : document_.file().parent_path() / named;
    if (node.string().find('\0') != std::string::npos) node.fail("a file name cannot contain a zero byte");
    try {
      source_ = read_kernel_file(kernel_file_);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}: {}", document_.file().string(), node.path(), error.what()));
    }
    if (const auto hip = included_from_hip(source_)) {
      node.fail(
          "{} is a source for HIP, whose `{}` (line {}) is not here: put that #include between #ifdef "
          "__HIP_PLATFORM_AMD__ and #endif, since what follows it is compiled as CUDA C++",
          named.filename().string(), hip->name, hip->line);
    }
    std::string plain = without_directives(source_);
    if (plain != source_) {
      node.warn("contains directives, which are not read: this file takes their place.");
      source_ = std::move(plain);
    }
    if (!source_.ends_with('\n')) source_ += '\n';

    const T1Node name = specification.need("KernelName");
    kernel_ = name.string();
    if (kernel_.find_first_of("\r\n\\") != std::string::npos) name.fail("must be the name of a function");
    kernel_path_ = name.path();
    const auto types = specification.find("KernelTypeNames");
    if (!types) return;
    std::string list;
    for (const T1Node& type : types->elements()) {
      const std::string& text = type.string();
      if (text.empty() || text.find_first_of("\r\n\\()#\"'") != std::string::npos)
        type.fail("must be a type or a number");
      if (names_.parameters.contains(text)) template_parameters_.insert(text);
      list += (list.empty() ? "" : ", ") + text;
    }
    if (!list.empty()) kernel_ += fmt::format("<{}>", list);
  }

  /// Those that are found beside the kernel's file and in folders that the T1 file names.
  void read_headers(const std::vector<fs::path>& folders) {
    text_.file = kernel_file_;
    text_.blanked_source = source_;
    headers_ = quoted_headers(source_, kernel_file_, {}, folders);
  }

  /// What the source and the file do not have in common.
  void check_mentions(const T1Node& specification, const WrittenSource& written, const KernelDescription& kernel) {
    const std::vector<std::string> arrays = written.empty_arrays(kernel);
    if (!arrays.empty()) {
      document_.warn(
          "KernelSpecification.Arguments",
          fmt::format("nothing fills what the source declares __constant__, `{}`, which is then zero: add an "
                      "argument with that Name and the MemoryType Constant.",
                      fmt::join(arrays, "`, `")));
    }
    if (!written.is_complete()) return;
    check_unmentioned_parameters({specification, parameters_, conditions_}, own_texts());
  }

  /// Macros that other tuners define beside the parameters, if the source has a use for them.
  void add_macros(const T1Launch& launch) {
    const auto offer = [&](const std::string& name, const std::string& expression, const std::string& path) {
      if (names_.parameters.contains(name) || !has_word(source_, name) || defines(source_, name)) return;
      rest_.push_back({fmt::format("define({} = {})", name, expression), path});
    };
    offer("kernel_tuner", "1", kernel_path_);
    for (std::size_t i = 0; i < 3; ++i) {
      offer(fmt::format("grid_size_{}", "xyz"[i]), launch.grid[i], launch.grid_path);
      offer(fmt::format("GRID_SIZE_{}", "XYZ"[i]), launch.grid[i], launch.grid_path);
      offer(fmt::format("BLOCK_SIZE_{}", "XYZ"[i]), launch.block[i], launch.block_path);
    }
  }

  /// The source and the headers of the user's that it includes.
  std::vector<std::string> own_texts() const {
    std::vector<std::string> texts{source_};
    for (Header& header : without_standard(headers_)) texts.push_back(std::move(header.text));
    return texts;
  }

  /// Those of BenchmarkConfig that the source and its headers leave to whoever compiles them.
  void add_constants() {
    const std::vector<std::string> texts = own_texts();
    for (const auto& [name, value] : names_.constants) {
      const auto is_it = [&name = name](const auto& other) { return other.name == name; };
      const auto is_offered = [start = fmt::format("define({} =", name)](const T1Line& line) {
        return line.directive.starts_with(start);
      };
      const bool is_taken = names_.parameters.contains(name) || !is_declarable(name) ||
                            std::any_of(properties_.begin(), properties_.end(), is_it) ||
                            std::any_of(rest_.begin(), rest_.end(), is_offered);
      const auto has_its_own = [&name = name](const std::string& text) {
        return has_word(text, name) && (defines_always(text, name) || declares(read_code(text).code, name));
      };
      if (is_taken || !has_word(source_, name) || std::any_of(texts.begin(), texts.end(), has_its_own)) continue;
      rest_.push_back({fmt::format("define({} = {})", name, value.text()), constant_paths_.at(name)});
    }
  }

  std::vector<T1Line> lines() const {
    std::vector<T1Line> lines{{fmt::format("kernel({})", kernel_), kernel_path_}};
    std::string pinned;
    for (const T1Property& property : properties_) {
      lines.push_back({fmt::format("problem({}: exact = {})", property.name, property.value.text()), property.path});
      pinned += fmt::format("{}{} == {}", pinned.empty() ? "" : " and ", property.name, property.value.text());
    }
    // Lengths and launches are written for these values, so another problem is another file.
    if (!pinned.empty()) lines.push_back({fmt::format("problem_constraint({})", pinned), "KernelSpecification"});
    for (const T1Parameter& parameter : parameters_) {
      lines.push_back(parameter.line(template_parameters_.contains(parameter.name)));
    }
    lines.insert(lines.end(), conditions_.begin(), conditions_.end());
    lines.insert(lines.end(), rest_.begin(), rest_.end());
    return lines;
  }

  /// The description that the directives give, checked for this problem as far as that needs no enumeration.
  KernelDescription understood() {
    const std::vector<T1Line> all = lines();
    std::string text = source_;
    for (const T1Line& line : all) text += fmt::format("#pragma tuner {}\n", line.directive);
    const auto first = static_cast<std::size_t>(std::count(source_.begin(), source_.end(), '\n')) + 1;
    try {
      std::vector<KernelDescription> descriptions = parse_descriptions(text, kernel_file_);
      if (descriptions.size() != 1) throw Error(Errc::bad_description, "describes several kernels.");
      check_t1_problem(descriptions.front());
      give_origins(descriptions.front(), all, first);
      return std::move(descriptions.front());
    } catch (const Error& error) {
      throw Error(error.code(), located(error.what(), all, first));
    }
  }

  /// Messages about a description name lines of the directives; what stands there is known here.
  std::string located(const std::string& sentence, const std::vector<T1Line>& all, std::size_t first) const {
    const std::string own = document_.file().string();
    for (const std::string& name : {kernel_file_.string(), kernel_file_.filename().string()}) {
      if (!sentence.starts_with(name + ":")) continue;
      std::size_t at = name.size() + 1;
      std::size_t line = 0;
      while (at < sentence.size() && is_digit(sentence[at]) && line < 100000000) {
        line = line * 10 + static_cast<std::size_t>(sentence[at++] - '0');
      }
      if (line < first || line >= first + all.size()) continue;
      const std::size_t words = sentence.find(": ", at);
      if (words == std::string::npos) continue;
      std::string text = sentence.substr(words + 2);
      text = text.substr(0, text.find('\n'));
      if (!text.ends_with('.') && !text.ends_with('?')) text += '.';
      return fmt::format("{}: {}: {}", own, all[line - first].path, text);
    }
    return sentence.starts_with(own + ":") ? sentence : fmt::format("{}: {}", own, sentence);
  }

  Place place_of(const std::string& path) const {
    return {fmt::format("{}: {}", document_.file().string(), path), 0, 0};
  }

  void give_origins(KernelDescription& kernel, const std::vector<T1Line>& all, std::size_t first) const {
    // In the order of their lines, which is that of the conditions.
    for (std::size_t i = 0; i < kernel.constraints.size() && i < conditions_.size(); ++i) {
      kernel.constraints[i].origin = fmt::format("{}: {}", document_.file().filename().string(), conditions_[i].path);
    }
    const auto path_of = [&](Place& place) {
      const auto line = static_cast<std::size_t>(std::max(place.line, 0));
      if (line >= first && line < first + all.size()) place = place_of(all[line - first].path);
    };
    kernel.place = place_of(kernel_path_);
    for (search::Constraint& constraint : kernel.problem_constraints) {
      constraint.origin = fmt::format("{}: KernelSpecification", document_.file().filename().string());
    }
    for (NamedExpression& named : kernel.names) path_of(named.place);
    for (Argument& argument : kernel.arguments) path_of(argument.place);
    for (ProblemProperty& property : kernel.problem) path_of(property.place);
    for (ParameterDescription& parameter : kernel.parameters) path_of(parameter.place);
  }

  /// The baseline must be a configuration that can be launched; the defaults of some files are none.
  void mend_baseline(KernelDescription& kernel) {
    const T1Baseline mended = mend_t1_baseline(kernel);
    if (mended.values.empty()) return;
    std::string changes;
    bool were_given = false;
    for (std::size_t i = 0; i < parameters_.size() && i < mended.values.size(); ++i) {
      if (parameters_[i].default_value == mended.values[i]) continue;
      were_given = were_given || parameters_[i].has_default;
      changes += fmt::format("{}{}={}", changes.empty() ? "" : ",", parameters_[i].name, mended.values[i].text());
      parameters_[i].default_value = mended.values[i];
    }
    if (were_given) {
      document_.warn(
          "ConfigurationSpace.TuningParameters",
          fmt::format("the defaults cannot be the baseline, since {}; it has {} instead.", mended.why, changes));
    }
    kernel = understood();
  }

  T1Document document_;
  T1Node root_;
  T1Names names_;
  std::vector<T1Property> properties_;
  std::vector<T1Parameter> parameters_;
  std::vector<T1Line> conditions_;
  std::vector<T1Line> rest_;
  fs::path kernel_file_;
  std::string source_;
  KernelDescription text_;  ///< the source alone
  std::vector<Header> headers_;
  std::string kernel_;
  std::string kernel_path_;
  std::set<std::string> template_parameters_;
  std::map<std::string, std::string> constant_paths_;
};

}  // namespace

bool is_t1(std::string_view text) {
  text.remove_prefix(mark_length(text));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

T1Description read_t1(std::string_view text, const fs::path& file) {
  return T1Reader(text, file).read();
}

}  // namespace tuner
