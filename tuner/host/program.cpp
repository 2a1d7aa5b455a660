#include "tuner/host/program.hpp"

#include <algorithm>
#include <set>

#include "tuner/core/base/words.hpp"
#include "tuner/core/signature/compiled_signature.hpp"
#include "tuner/core/signature/value_source.hpp"
#include "tuner/host/constant_scope.hpp"
#include "tuner/host/shim_source.hpp"
#include "tuner/host/work_folder.hpp"

namespace tuner::host {
namespace {

constexpr const char* kKernelFile = "kernel.cu";

void append_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

/// Whether macros decide what it includes.
bool has_condition(const Translation& text) {
  return !text.conditional_headers.empty() ||
         std::any_of(text.system_headers.begin(), text.system_headers.end(),
                     [](const Translation::SystemHeader& header) { return header.is_conditional; });
}

bool says_once(std::string_view text) {
  return text.find("#pragma once") != std::string_view::npos;
}

}  // namespace

Program::Program(const Task& task, const std::vector<Header>& headers, const std::vector<std::string>& changing,
                 const DeviceInfo& device, std::filesystem::path folder)
    : folder_(std::move(folder)) {
  const KernelDescription& description = task.description();
  for (const Header& header : headers)
    headers_.push_back({header, "header_" + std::to_string(headers_.size()) + ".cuh", {}, says_once(header.text)});
  std::vector<std::string_view> texts{description.blanked_source};
  for (const Header& header : headers) texts.push_back(header.text);
  for (std::size_t i = 0; i < description.arguments.size(); ++i) {
    const Argument& argument = description.arguments[i];
    if (argument.role == Argument::Role::constant) constants_.push_back(constant_with_scope(argument.name, texts));
    if (argument.role != Argument::Role::value) continue;
    values_.push_back(i);
    value_functions_ += value_function(description, i, type_assertion(task, i, "*tuner_kernel"));
  }
  device_macros_ =
      "#define TUNER_HOST_EMULATION 1\n#define __CUDACC__ 1\n#define __CUDACC_RTC__ 1\n#define __CUDA_ARCH__ " +
      std::to_string(device.compute_major * 100 + device.compute_minor * 10) + '\n';
  const HeaderName name_of = [this](std::string_view name) -> std::string {
    for (const HostHeader& header : headers_) {
      if (header.source.name == name) return header.file;
    }
    return "";
  };
  const Translation kernel = translate(description.blanked_source, description.file.string(), name_of);
  for (HostHeader& header : headers_) header.translation = translate(header.source.text, header.source.name, name_of);
  find_conditional_headers(kernel);
  find_shared_headers(changing);
  write_shim();
  write_translations(kernel, description);
}

void Program::find_conditional_headers(const Translation& kernel) {
  std::vector<std::string> names = kernel.conditional_headers;
  has_conditions_ = has_condition(kernel);
  for (const HostHeader& header : headers_) {
    append_new(names, header.translation.conditional_headers);
    has_conditions_ = has_conditions_ || has_condition(header.translation);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (HostHeader& header : headers_) {
      if (header.source.name != names[i]) continue;
      header.conditional = true;
      append_new(names, header.translation.own_headers);
    }
  }
}

void Program::find_shared_headers(const std::vector<std::string>& changing) {
  for (HostHeader& header : headers_) {
    header.shared = !header.conditional && std::none_of(changing.begin(), changing.end(), [&](const std::string& name) {
      return has_word(header.source.text, name);
    });
  }
  const auto is_shared = [&](const std::string& name) {
    return std::any_of(headers_.begin(), headers_.end(),
                       [&](const HostHeader& other) { return other.source.name == name && other.shared; });
  };
  for (bool again = true; again;) {
    again = false;
    for (HostHeader& header : headers_) {
      const Translation& text = header.translation;
      // One that includes another that changes changes with it.
      if (!header.shared || (text.conditional_headers.empty() &&
                             std::all_of(text.own_headers.begin(), text.own_headers.end(), is_shared)))
        continue;
      header.shared = false;
      again = true;
    }
  }
}

void Program::write_shim() const {
  for (const ShimFile& file : shim_files()) write_file(folder_ / file.name, file.text);
}

std::filesystem::path Program::runtime(Flavour flavour) const {
  return folder_ / "tuner/host/shim" / (flavour == Flavour::memory ? "runtime.cpp" : "runtime_races.cpp");
}

std::string Program::system_includes(const Translation& kernel, const std::string& kernel_file) const {
  std::string text;
  std::set<std::string> seen;
  const auto take = [&](const Translation& translation, const std::string& file, bool is_conditional) {
    for (const Translation::SystemHeader& header : translation.system_headers) {
      // What a condition excludes may not exist. The others come first: no macro of the kernel's reaches them.
      if ((is_conditional || header.is_conditional) && !is_of_shim(header.name)) continue;
      if (!seen.insert(header.name).second) continue;
      text +=
          "#line " + std::to_string(header.line) + ' ' + string_literal(file) + "\n#include <" + header.name + ">\n";
    }
  };
  for (const HostHeader& header : headers_) take(header.translation, header.source.name, header.conditional);
  take(kernel, kernel_file, false);
  return text;
}

/// The headers of the system that a variant includes, where its macros decide that.
std::string Program::conditional_includes(const VariantSource& variant) const {
  std::string text;
  std::vector<std::string> defined = all_macros_;
  for (const auto& [macro, value] : variant.macros) {
    text += "#define " + macro + ' ' + value + '\n';
    append_new(defined, {macro});
  }
  return text + "#include \"" + outline_name(kKernelFile) + "\"\n" + undefine(defined);
}

/// The compiler's own macros are there again for the next variant, whatever a text makes of them.
std::string Program::undefine(const std::vector<std::string>& macros) const {
  std::string text;
  for (const std::string& macro : macros) text += "#undef " + macro + '\n';
  return text + device_macros_;
}

void Program::write_translations(const Translation& kernel, const KernelDescription& description) {
  std::string shared;
  for (const HostHeader& header : headers_) {
    std::string text = header.translation.text;
    std::string outline = header.translation.outline;
    const std::string stem = header.file.substr(0, header.file.find('.'));
    const auto guarded = [](const std::string& guard, const std::string& body) {
      return "#ifndef " + guard + "\n#define " + guard + '\n' + body + "\n#endif\n";
    };
    if (header.shared || header.once) {
      const std::string guard = "TUNER_GUARD_" + stem;
      text = guarded(guard, text);
      if (!header.shared) own_macros_.push_back(guard);
    }
    if (header.once) {
      outline = guarded("TUNER_OUTLINE_" + stem, outline);
      all_macros_.push_back("TUNER_OUTLINE_" + stem);
    }
    write_file(folder_ / header.file, text);
    write_file(folder_ / outline_name(header.file), outline);
    append_new(all_macros_, macros_defined_in(header.source.text));
    if (header.shared)
      shared += "#include \"" + header.file + "\"\n";
    else
      append_new(own_macros_, macros_defined_in(header.source.text));
  }
  write_file(folder_ / kKernelFile, kernel.text);
  write_file(folder_ / outline_name(kKernelFile), kernel.outline);
  append_new(all_macros_, macros_defined_in(description.blanked_source));
  append_new(own_macros_, macros_defined_in(description.blanked_source));
  system_ = device_macros_ + system_includes(kernel, description.file.string());
  prologue_ =
      "#include <typeinfo>\n" + std::string(signature_types()) +
      "#line 1 \"tuner\"\n#include \"tuner/host/shim/cuda_shim.hpp\"\n#include \"tuner/host/shim/variants.hpp\"\n" +
      std::string(values_.empty() ? "" : value_types()) + shared;
}

std::filesystem::path Program::write_unit(const std::string& name, std::span<const VariantSource> variants) const {
  std::string unit = system_;
  if (has_conditions_) {
    for (const VariantSource& variant : variants) unit += conditional_includes(variant);
  }
  unit += prologue_;
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
    unit += "#include \"" + std::string(kKernelFile) + "\"\n";
    for (std::size_t i = 0; i < constants_.size(); ++i)
      unit += "auto& tuner_constant_" + std::to_string(i) + " = " + constants_[i] + ";\n";
    unit += "constexpr auto tuner_kernel = &" + variant.function +
            ";\nusing tuner_signature = " + signature_type(variant.function) + ";\n" + value_functions_;
    unit += undefine(defined) + "}\nconst ::tuner::host::Registration<" + space + "::tuner_kernel> register_" + space +
            "(" + number + ", __start_" + section + ", __stop_" + section + ", typeid(" + space +
            "::tuner_signature).name(), {";
    for (std::size_t i = 0; i < constants_.size(); ++i) {
      const std::string symbol = space + "::tuner_constant_" + std::to_string(i);
      unit += "{const_cast<void*>(static_cast<const volatile void*>(&" + symbol + ")), sizeof(" + symbol + ")}, ";
    }
    unit += "}, {";
    for (const std::size_t value : values_) {
      const std::string position = std::to_string(value);
      const std::string type = space + "::tuner_value_type_" + position;
      unit += "{[](void* from, void* to, void* room) { return " + space + "::tuner_value_make_" + position +
              "(static_cast<tuner_value_number*>(from), to, room); }, sizeof(" + type + "), alignof(" + type + ")}, ";
    }
    unit += "});\n}\n";
  }
  const std::filesystem::path file = folder_ / (name + ".cpp");
  write_file(file, unit);
  return file;
}

}  // namespace tuner::host
