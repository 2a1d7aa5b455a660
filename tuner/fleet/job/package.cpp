#include "tuner/fleet/job/package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/description/compiler_options.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/core/task/input_file.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/job/include_rules.hpp"
#include "tuner/fleet/job/sha256.hpp"

namespace tuner::fleet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view file, std::string_view why) {
  throw Error(Errc::bad_description, fmt::format("{} cannot be a job: {}.", one_line(file), why));
}

/// Only what is refused wherever a kernel of others is compiled comes before: compiler options outside a list. An
/// option may say what the source's text does not: `\x5f` is a character in a directive's quotes.
void require_options(const KernelDescription& kernel, std::string_view file) {
  const auto require = [&](std::string_view option) {
    if (const auto why = why_includes_escape(option)) {
      refuse(file,
             fmt::format("of the compiler option {}, {}", search::quote(search::shortened(std::string(option))), *why));
    }
    if (!include_folder(option)) return;
    refuse(file, fmt::format("the compiler option {} names a folder of another machine; headers travel with the job if "
                             "they are beside the kernel's file",
                             search::quote(search::shortened(std::string(option)))));
  };
  for (const std::string& option : kernel.options) require(option);
  for (const ParameterDescription& parameter : kernel.parameters) {
    if (parameter.form != ParameterForm::option) continue;
    for (const search::Value& value : parameter.parameter.values) {
      if (value.is_name()) require(value.as_name());
    }
  }
}

void require_text(const std::string& text, std::string_view file) {
  if (const auto why = why_includes_escape(text)) refuse(file, *why);
}

void require_short(const std::string& text, std::string_view file) {
  constexpr std::size_t kLongest = std::size_t{4} << 20;
  if (text.size() > kLongest) refuse(file, fmt::format("it has more than {} bytes of source", kLongest));
}

/// Everything that the compiler is told of the kernel.
void require_words(const KernelDescription& kernel, const std::vector<Header>& headers, std::string_view file) {
  std::vector<std::string> texts = kernel.options;
  texts.push_back(kernel.source);
  for (const Header& header : headers) texts.push_back(header.text);
  for (const ParameterDescription& parameter : kernel.parameters) {
    for (const search::Value& value : parameter.parameter.values) {
      if (!value.is_name()) continue;
      texts.push_back(value.as_name());
      texts.push_back(parameter.parameter.name + "_" + value.as_name());  // as its `#define` has it
    }
  }
  if (const auto why = why_pasting_escapes(texts)) refuse(file, *why);
}

/// The names of the files of data, each once.
std::set<std::string> data_of(const KernelDescription& kernel, std::string_view file) {
  std::set<std::string> names;
  const auto add = [&](const std::string& name) {
    if (const auto why = why_escapes(name)) {
      refuse(file, fmt::format("it reads the data {}, {}", search::quote(search::shortened(name)), *why));
    }
    names.insert(name);
  };
  for (const Argument& argument : kernel.arguments) {
    for (const Generator& generator : argument.generators) {
      if (generator.kind == Generator::Kind::file) add(generator.file);
    }
    if (argument.expected) add(*argument.expected);
  }
  return names;
}

std::string read_data_file(const fs::path& path, std::string_view file) {
  const InputFile input(path);
  if (input.size() > kMostBytesOfFile) {
    refuse(file, fmt::format("{} has {} bytes, and a job carries files of {} at most", one_line(path.string()),
                             input.size(), kMostBytesOfFile));
  }
  std::string bytes(input.size(), '\0');
  input.read(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

CarriedFile carry(Package& package, std::string name, std::string bytes) {
  CarriedFile file{std::move(name), sha256(bytes)};
  package.contents.insert_or_assign(file.hash, std::move(bytes));
  return file;
}

/// What the file says, if it is what its hash says.
const std::string& content_of(const Package& package, const CarriedFile& file) {
  const auto found = package.contents.find(file.hash);
  if (found == package.contents.end()) refuse(file.name, "its content is not in the queue; submit it again");
  if (sha256(found->second) != file.hash) refuse(file.name, "its content is not what was submitted");
  return found->second;
}

void write_data(const fs::path& folder, const CarriedFile& data, const std::string& bytes) {
  const fs::path file = folder / data.name;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error == std::errc::not_a_directory || error == std::errc::file_exists || !file.has_filename() ||
      file.filename() == "." || fs::is_directory(file)) {
    refuse(data.name, "it is data, and its name that of a folder");
  }
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  out.close();
  if (out) return;
  throw Error(Errc::store_unavailable,
              fmt::format("{} could not be written: is the disk full?", one_line(file.string())));
}

/// As few and as small as a person writes. A source that includes itself many times over is ended by the compiler's
/// limits of time and memory.
void require_few(const JobSpec& spec) {
  constexpr std::size_t kLongestName = 200;
  if (spec.source.name.empty() || spec.source.name.find('/') != std::string::npos) {
    refuse(spec.source.name, "its name is not that of a file");
  }
  for (const std::vector<CarriedFile>* files : {&spec.headers, &spec.data}) {
    for (const CarriedFile& file : *files) {
      if (const auto why = why_escapes(file.name)) {
        refuse(spec.source.name, fmt::format("it carries {}, {}", search::quote(search::shortened(file.name)), *why));
      }
      if (file.name.size() > kLongestName) refuse(spec.source.name, "it carries a file with a name that is too long");
    }
  }
}

/// A header that is found among the data was not read for what it includes.
void require_carried(const KernelDescription& kernel, std::string_view file) {
  for (const Header& header : quoted_headers(kernel, {})) {
    const bool is_carried = std::any_of(kernel.given_headers.begin(), kernel.given_headers.end(),
                                        [&](const Header& given) { return given.text == header.text; });
    if (is_carried || is_standard(header)) continue;
    refuse(file, fmt::format("it does not carry the header {}", search::quote(search::shortened(header.name))));
  }
}

}  // namespace

Package pack_job(const KernelDescription& kernel, Timing timing, Effort effort) {
  const std::string file = kernel.file.filename().string();
  if (kernel.is_from_t1() || kernel.source.empty()) {
    refuse(file, "it is a T1 file, and a job carries an annotated source; `tuner new` writes one");
  }
  Package package{.spec = {.kernel = full_name(kernel), .timing = timing, .effort = effort}};
  require_options(kernel, file);
  require_short(kernel.source, file);
  require_text(kernel.source, file);
  const std::vector<Header> headers = quoted_headers(kernel, {});
  require_words(kernel, without_standard(headers), file);
  package.spec.identity = kernel_identity(kernel, headers);
  package.spec.source = carry(package, file, kernel.source);
  for (const Header& header : headers) {
    if (is_standard(header)) continue;
    require_short(header.text, header.name);
    require_text(header.text, header.name);
    package.spec.headers.push_back(carry(package, header.name, header.text));
  }
  for (const std::string& name : data_of(kernel, file)) {
    package.spec.data.push_back(carry(package, name, read_data_file(kernel.file.parent_path() / name, file)));
  }
  require_few(package.spec);
  return package;
}

KernelDescription unpack_job(const Package& package, const fs::path& folder) {
  const JobSpec& spec = package.spec;
  require_few(spec);
  const std::string& source = content_of(package, spec.source);
  require_short(source, spec.source.name);
  require_text(source, spec.source.name);
  std::vector<Header> headers;
  for (const CarriedFile& file : spec.headers) {
    const std::string& text = content_of(package, file);
    require_short(text, file.name);
    require_text(text, file.name);
    headers.push_back({file.name, text});
  }
  const fs::path path = folder / spec.source.name;
  KernelDescription kernel = choose_description(parse_descriptions(source, path), path, spec.kernel);
  require_options(kernel, spec.source.name);
  require_words(kernel, headers, spec.source.name);
  std::set<std::string> missing = data_of(kernel, spec.source.name);
  kernel.given_headers = std::move(headers);
  if (kernel_identity(kernel, quoted_headers(kernel, {})) != spec.identity) {
    refuse(spec.source.name,
           "its source and headers are not what was submitted, or were submitted by another version "
           "of this program");
  }
  for (const CarriedFile& file : spec.data) {
    if (missing.erase(file.name) > 0) write_data(folder, file, content_of(package, file));
  }
  if (!missing.empty()) {
    refuse(spec.source.name, fmt::format("it does not carry the data {}", search::quote(*missing.begin())));
  }
  require_carried(kernel, spec.source.name);
  return kernel;
}

}  // namespace tuner::fleet
