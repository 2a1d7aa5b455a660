#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/host/translate.hpp"

namespace tuner::host {

/// A kernel's text with one set of macros.
struct VariantSource {
  int number = 0;
  std::vector<std::pair<std::string, std::string>> macros;  ///< in order
  std::string function;                                     ///< "prefetch", or "prefetch<128, float>"
  std::string standard = "17";                              ///< of the language: what NVRTC takes if nothing is said
  friend bool operator==(const VariantSource&, const VariantSource&) = default;
};

/// Which sanitizers a program is built with.
enum class Flavour {
  memory,   ///< Address and Undefined Behaviour Sanitizer
  threads,  ///< every access is reported to the watch for races (shim/races.cpp)
};

inline std::string flavour_name(Flavour flavour) {
  return flavour == Flavour::memory ? "memory" : "threads";
}

/// The C++ files of a kernel that runs on the CPU: its translated text and headers and everything around it, in a
/// folder.
class Program {
 public:
  /// `headers` are those of the kernel's (own_headers), `changing` the names of macros that differ between variants:
  /// headers that mention none of them are included once for all. Conditions see the macros of a compiler for `device`.
  Program(const Task& task, const std::vector<Header>& headers, const std::vector<std::string>& changing,
          const DeviceInfo& device, std::filesystem::path folder);

  /// A C++ file with these variants, each in a namespace of its own; returns its name.
  std::filesystem::path write_unit(const std::string& name, std::span<const VariantSource> variants) const;
  /// A file that is the same for all kernels: everything around them, or what the program that looks for races has
  /// besides.
  std::filesystem::path runtime(Flavour flavour) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct HostHeader {
    Header source;
    std::string file;  ///< of its translation
    Translation translation;
    bool once = false;         ///< it says `#pragma once`
    bool conditional = false;  ///< macros decide whether it is included
    bool shared = false;       ///< included once for all variants
  };

  void write_shim() const;
  void find_conditional_headers(const Translation& kernel);
  void find_shared_headers(const std::vector<std::string>& changing);
  void write_translations(const Translation& kernel, const KernelDescription& description);
  std::string system_includes(const Translation& kernel, const std::string& kernel_file) const;
  std::string conditional_includes(const VariantSource& variant) const;
  std::string undefine(const std::vector<std::string>& macros) const;

  std::filesystem::path folder_;
  std::vector<HostHeader> headers_;
  std::vector<std::string>
      own_macros_;  ///< defined by the kernel's text or by headers that are included by each variant
  std::vector<std::string> constants_;   ///< arrays in constant memory, with their namespaces
  std::vector<std::size_t> values_;      ///< positions of the arguments that are values
  std::string value_functions_;          ///< what makes these
  std::vector<std::string> all_macros_;  ///< of the kernel's text and all headers
  bool has_conditions_ = false;          ///< whether what is included depends on macros
  std::string device_macros_;
  std::string system_;    ///< what a unit begins with: headers of the system
  std::string prologue_;  ///< and what follows
};

}  // namespace tuner::host
