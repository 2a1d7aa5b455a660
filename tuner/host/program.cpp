#include "tuner/host/program.hpp"

#include <algorithm>
#include <set>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/source_text.hpp"
#include "tuner/core/signature/compiled_signature.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/host/shim_source.hpp"
#include "tuner/host/translate.hpp"
#include "tuner/host/work_folder.hpp"

namespace tuner::host {
namespace {

constexpr const char* kKernelFile = "kernel.cu";

void append_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

bool says_once(std::string_view text) {
  return text.find("#pragma once") != std::string_view::npos;
}

}  // namespace

Program::Program(const KernelDescription& description, const std::vector<Header>& headers,
                 const std::vector<std::string>& changing, std::filesystem::path folder)
    : folder_(std::move(folder)) {
  // The C++ compiler has its own of the standard ones.
  for (const Header& header : without_standard(headers))
    headers_.push_back({header, "header_" + std::to_string(headers_.size()) + ".cuh", says_once(header.text)});
  for (const Argument& argument : description.arguments) {
    if (argument.role == Argument::Role::constant) constants_.push_back(argument.name);
  }
  find_shared_headers(changing);
  write_shim();
  write_translations(description);
}

void Program::find_shared_headers(const std::vector<std::string>& changing) {
  for (HostHeader& header : headers_) {
    header.shared = std::none_of(changing.begin(), changing.end(), [&](const std::string& name) {
      return find_word(header.source.text, name) != std::string::npos;
    });
  }
  // One that includes another that changes changes with it.
  for (bool again = true; again;) {
    again = false;
    for (HostHeader& header : headers_) {
      if (!header.shared) continue;
      for (const std::string& name : quoted_includes(header.source.text)) {
        const auto found = std::find_if(headers_.begin(), headers_.end(),
                                        [&](const HostHeader& other) { return other.source.name == name; });
        if (found == headers_.end() || found->shared) continue;
        header.shared = false;
        again = true;
      }
    }
  }
}

void Program::write_shim() const {
  for (const ShimFile& file : shim_files()) write_file(folder_ / file.name, file.text);
  const auto all_of = [](std::initializer_list<const char*> names) {
    std::string text;
    for (const char* name : names) text += "#include \"tuner/host/shim/" + std::string(name) + "\"\n";
    return text;
  };
  write_file(runtime(Flavour::memory),
             all_of({"block.cpp", "copies.cpp", "fiber.cpp", "plan.cpp", "buffers.cpp", "no_races.cpp", "runner.cpp"}));
  write_file(runtime(Flavour::threads), all_of({"clocks.cpp", "races.cpp"}));
}

std::filesystem::path Program::runtime(Flavour flavour) const {
  return folder_ / (flavour == Flavour::memory ? "runtime.cpp" : "runtime_races.cpp");
}

void Program::write_translations(const KernelDescription& description) {
  const HeaderName name_of = [this](std::string_view name) -> std::string {
    for (const HostHeader& header : headers_) {
      if (header.source.name == name) return header.file;
    }
    return "";
  };
  std::string system, shared;
  std::set<std::string> seen;
  const auto take_system_headers = [&](const Translation& translation, const std::string& file) {
    for (const Translation::SystemHeader& header : translation.system_headers) {
      if (!seen.insert(header.name).second) continue;
      system +=
          "#line " + std::to_string(header.line) + ' ' + string_literal(file) + "\n#include <" + header.name + ">\n";
    }
  };
  for (const HostHeader& header : headers_) {
    const Translation translation = translate(header.source.text, header.source.name, name_of);
    take_system_headers(translation, header.source.name);
    std::string text = translation.text;
    if (header.shared || header.once) {
      const std::string guard = "TUNER_GUARD_" + header.file.substr(0, header.file.find('.'));
      text = "#ifndef " + guard + "\n#define " + guard + '\n' + text + "\n#endif\n";
      if (!header.shared) own_macros_.push_back(guard);
    }
    write_file(folder_ / header.file, text);
    if (header.shared)
      shared += "#include \"" + header.file + "\"\n";
    else
      append_new(own_macros_, macros_defined_in(header.source.text));
  }
  const Translation kernel = translate(description.blanked_source, description.file.string(), name_of);
  take_system_headers(kernel, description.file.string());
  write_file(folder_ / kKernelFile, kernel.text);
  append_new(own_macros_, macros_defined_in(description.blanked_source));
  prologue_ =
      system + "#include <typeinfo>\n" + std::string(signature_types()) +
      "#line 1 \"tuner\"\n#include \"tuner/host/shim/cuda_shim.hpp\"\n#include \"tuner/host/shim/variants.hpp\"\n" +
      shared;
}

std::filesystem::path Program::write_unit(const std::string& name, std::span<const VariantSource> variants) const {
  std::string unit = prologue_;
  for (const VariantSource& variant : variants) {
    const std::string number = std::to_string(variant.number);
    const std::string space = "variant_" + number;
    const std::string section = "tuner_shared_" + number;
    std::vector<std::string> defined = own_macros_;
    for (const char* end : {"__start_", "__stop_"})
      unit += "extern unsigned char " + (end + section) + "[] __attribute__((weak));\n";
    unit += "#undef TUNER_SHARED_SECTION\n#define TUNER_SHARED_SECTION \"" + section + "\"\n";
    unit += "namespace {\nnamespace " + space + " {\n";
    for (const auto& [macro, value] : variant.macros) {
      unit += "#define " + macro + ' ' + value + '\n';
      append_new(defined, {macro});
    }
    unit += "#include \"" + std::string(kKernelFile) + "\"\nconstexpr auto tuner_kernel = &" + variant.function +
            ";\nusing tuner_signature = " + signature_type(variant.function) + ";\n";
    for (const std::string& macro : defined) unit += "#undef " + macro + '\n';
    unit += "}\nconst ::tuner::host::Registration<" + space + "::tuner_kernel> register_" + space + "(" + number +
            ", __start_" + section + ", __stop_" + section + ", typeid(" + space + "::tuner_signature).name(), {";
    for (const std::string& constant : constants_) {
      const std::string symbol = space + "::" + constant;
      unit += "{const_cast<void*>(static_cast<const volatile void*>(&" + symbol + ")), sizeof(" + symbol + ")}, ";
    }
    unit += "});\n}\n";
  }
  const std::filesystem::path file = folder_ / (name + ".cpp");
  write_file(file, unit);
  return file;
}

}  // namespace tuner::host
