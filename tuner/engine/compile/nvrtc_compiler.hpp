#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/compile/nvrtc.hpp"
#include "tuner/process/fd.hpp"

namespace tuner::engine {

/// Compiles in this process, one program at a time. A source that crashes or hangs NVRTC takes the process with it:
/// that is why compile workers exist.
class NvrtcCompiler {
 public:
  /// `include_folders` come before the toolkit's. Throws Error{no_toolkit}.
  explicit NvrtcCompiler(std::vector<std::filesystem::path> include_folders, Builtins builtins = Builtins::small_first);

  /// Never throws for a source that does not compile: that is the reply's outcome.
  CompileReply compile(const CompileRequest& request) const;

  /// Everything the compiler is told: -arch, C++17 unless the request says otherwise, ptxas statistics, no compute
  /// cache (so that times repeat and libcuda is not touched), the process's stack limit left alone, include folders;
  /// then the request's own options.
  std::vector<std::string> options(const CompileRequest& request) const;

  /// Compiles the request's leading includes of toolkit headers once; later requests that begin the same way, with the
  /// same options and headers, start from there, in this process and in forks of it (not in any other: the file holds
  /// addresses). Takes as long as compiling those headers and up to 100 MB. False, with the reason in `log`, if the
  /// request has no such includes or NVRTC cannot use the result.
  bool precompile(const CompileRequest& request, std::string& log);

  /// Compiles an empty kernel, which pages the compiler in and tells its full version. Throws Error{no_toolkit} if this
  /// toolkit does not compile for the architecture ("" for any).
  void warm_up(const std::string& architecture);

  const Toolkit& toolkit() const { return toolkit_; }

 private:
  struct Product;
  // What a source must have in common with the one that a header was compiled for.
  struct PrecompiledHeader {
    UniqueFd file;
    std::string prefix;
    std::vector<std::string> options;
    std::vector<Header> headers;
    std::string option() const;
  };
  /// Of our standard headers those that a header of the toolkit's may include and neither the request nor a folder of
  /// the user's has. None for a source whose headers are all in memory.
  std::vector<const Header*> headers_for_toolkit(const CompileRequest& request) const;
  Product run(const CompileRequest& request, const std::vector<std::string>& options) const;
  /// The option with which the compiler declares less: the built-in functions that a source without foreign headers may
  /// do without, or what cooperative groups include beside themselves. Empty if that is not to be tried.
  std::string declaring_less(const CompileRequest& request) const;
  /// With a precompiled header, if one fits.
  Product run_from_precompiled(const CompileRequest& request, std::vector<std::string> options) const;

  const Nvrtc& nvrtc_;
  Toolkit toolkit_;
  std::vector<std::filesystem::path> include_folders_;
  Builtins builtins_;
  mutable std::string needs_all_;  // file name of the last source that did not compile with less
  std::vector<PrecompiledHeader> precompiled_;
};

}  // namespace tuner::engine
