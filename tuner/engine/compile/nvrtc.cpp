#include "tuner/engine/compile/nvrtc.hpp"

#include <dlfcn.h>

#include <system_error>

#include "tuner/core/base/toolkit_folders.hpp"
#include "tuner/error.hpp"
#include "tuner/ground/file_variable.hpp"

namespace tuner::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

std::string environment(const char* name) {
  const char* const value = file_variable(name);
  return value != nullptr ? value : "";
}

std::vector<fs::path> candidates() {
  const std::string chosen = environment("TUNER_NVRTC");
  std::vector<fs::path> files;
  const auto add_folder = [&](const fs::path& folder) {
    for (const char* name : kNames) files.push_back(folder / name);
  };
  if (!chosen.empty()) {
    std::error_code error;
    if (fs::is_directory(chosen, error)) {
      add_folder(chosen);
    } else {
      files.emplace_back(chosen);
    }
    return files;
  }
  for (const char* name : kNames) files.emplace_back(name);  // the loader's path
  const auto add_toolkit = [&](const fs::path& root) {
    add_folder(root / "lib64");
    add_folder(root / "targets" / kToolkitTarget / "lib");
  };
  for (const fs::path& root : chosen_toolkits()) add_toolkit(root);
  add_folder(TUNER_BUILD_CUDA_LIBRARY_DIR);
  for (const fs::path& root : installed_toolkits()) add_toolkit(root);
  return files;
}

struct Opened {
  void* library = nullptr;
  fs::path file;
};

Opened open_library() {
  std::string looked, reason;
  for (const fs::path& file : candidates()) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return {library, file};
    // "cannot open shared object file" of a file that does not exist says nothing; any other reason does.
    std::error_code error;
    if (const char* text = dlerror(); text != nullptr && file.has_parent_path() && fs::exists(file, error))
      reason = std::string(" The last one found could not be loaded: ") + text + ".";
    looked += (looked.empty() ? "" : ", ") + file.string();
  }
  throw Error(Errc::no_toolkit, "NVRTC, the compiler of the CUDA toolkit, was not found (looked for " + looked + ")." +
                                    reason +
                                    " Install a CUDA toolkit 12 or 13, or set TUNER_NVRTC to the path of libnvrtc.so.");
}

template <typename Function>
void resolve(const Opened& opened, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(opened.library, name));
  if (function == nullptr)
    throw Error(Errc::no_toolkit,
                opened.file.string() + " is not NVRTC 12 or newer: it has no function " + name +
                    ". Install a CUDA toolkit 12 or 13, or set TUNER_NVRTC to the path of libnvrtc.so.");
}

Nvrtc load() {
  const Opened opened = open_library();
  Nvrtc functions;
  resolve(opened, functions.error_string, "nvrtcGetErrorString");
  resolve(opened, functions.version, "nvrtcVersion");
  resolve(opened, functions.architecture_count, "nvrtcGetNumSupportedArchs");
  resolve(opened, functions.architectures, "nvrtcGetSupportedArchs");
  resolve(opened, functions.create_program, "nvrtcCreateProgram");
  resolve(opened, functions.destroy_program, "nvrtcDestroyProgram");
  resolve(opened, functions.compile_program, "nvrtcCompileProgram");
  resolve(opened, functions.add_name_expression, "nvrtcAddNameExpression");
  resolve(opened, functions.lowered_name, "nvrtcGetLoweredName");
  resolve(opened, functions.log_size, "nvrtcGetProgramLogSize");
  resolve(opened, functions.log, "nvrtcGetProgramLog");
  resolve(opened, functions.ptx_size, "nvrtcGetPTXSize");
  resolve(opened, functions.ptx, "nvrtcGetPTX");
  resolve(opened, functions.cubin_size, "nvrtcGetCUBINSize");
  resolve(opened, functions.cubin, "nvrtcGetCUBIN");

  Toolkit& toolkit = functions.toolkit;
  Dl_info info{};
  std::error_code error;
  toolkit.library = opened.file;
  if (dladdr(reinterpret_cast<const void*>(functions.version), &info) != 0 && info.dli_fname != nullptr)
    toolkit.library = fs::canonical(info.dli_fname, error);
  if (error) toolkit.library = opened.file;
  functions.version(&toolkit.major, &toolkit.minor);
  toolkit.version = std::to_string(toolkit.major) + "." + std::to_string(toolkit.minor);
  // NVRTC opens this when it compiles, by its name alone. Where the loader does not look into the toolkit's folder, it
  // is found because it is open. A failure shows there, with NVRTC's reason.
  const fs::path builtins = toolkit.library.parent_path() / ("libnvrtc-builtins.so." + toolkit.version);
  dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);
  toolkit.include_folders = find_include_folders(toolkit.library);
  int count = 0;
  if (functions.architecture_count(&count) == NVRTC_SUCCESS && count > 0) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    if (functions.architectures(numbers.data()) == NVRTC_SUCCESS) {
      for (const int number : numbers) toolkit.architectures.push_back("sm_" + std::to_string(number));
    }
  }
  return functions;
}

}  // namespace

std::vector<fs::path> find_include_folders(const fs::path& library) {
  std::vector<fs::path> folders;
  const std::string chosen = environment("TUNER_CUDA_INCLUDE_DIR");
  if (!chosen.empty()) folders.emplace_back(chosen);
  // lib64/../include; targets/sbsa-linux/lib/../include has the same form.
  folders.push_back(library.parent_path().parent_path() / "include");
  for (const fs::path& root : chosen_toolkits()) folders.push_back(root / "include");
  folders.emplace_back(TUNER_BUILD_CUDA_INCLUDE_DIR);
  for (const fs::path& root : installed_toolkits()) folders.push_back(root / "include");
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (!fs::exists(folder / "cuda_fp16.h", error)) continue;
    std::vector<fs::path> found{folder};
    if (fs::is_directory(folder / "cccl", error)) found.push_back(folder / "cccl");
    return found;
  }
  return {};
}

const Nvrtc& nvrtc() {
  static const Nvrtc functions = load();
  return functions;
}

const Toolkit& toolkit() {
  return nvrtc().toolkit;
}

}  // namespace tuner::engine
