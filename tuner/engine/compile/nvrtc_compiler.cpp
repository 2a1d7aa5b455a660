#include "tuner/engine/compile/nvrtc_compiler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "cache/file/hash.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/description/compiler_options.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/engine/compile/failure_sentence.hpp"
#include "tuner/engine/compile/lambda_marks.hpp"
#include "tuner/engine/compile/program.hpp"
#include "tuner/engine/compile/resource_log.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

constexpr const char* kMinimalOption = "--minimal";
constexpr const char* kFrontEndOption = "--fdevice-syntax-only";
constexpr const char* kMinimalMacro = "__CUDACC_RTC_MINIMAL__";  // defined then; a source may ask for it
// With this their headers include nothing of the standard library, which is nine tenths of what they cost, and more
// than a thousand variables that are never used and that the driver would load. Only atomics in global memory need it.
constexpr const char* kFewerGroupsMacro = "_CG_LIMIT_INCLUDED_DEPENDENCIES";
constexpr const char* kGroupsPrefix = "_CG_";  // of the macros that say what their headers have: a source may ask

struct DestroyProgram {
  const Nvrtc* functions;
  void operator()(_nvrtcProgram* program) const noexcept { functions->destroy_program(&program); }
};
using Program = std::unique_ptr<_nvrtcProgram, DestroyProgram>;

bool says(const std::vector<std::string>& options, std::initializer_list<std::string_view> names) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return option.starts_with(name); });
  });
}

/// Whether the source or a header in memory has it.
bool has_text(const CompileRequest& request, const char* text) {
  return request.source.find(text) != std::string::npos ||
         std::any_of(request.headers.begin(), request.headers.end(),
                     [&](const Header& header) { return header.text.find(text) != std::string::npos; });
}

// A folder for one file that only this user may read, removed with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::filesystem::path base = std::filesystem::temp_directory_path(error);
    std::string name = ((error ? std::filesystem::path("/tmp") : base) / "tuner-pch-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(Errc::internal, fmt::format("The folder {} could not be created: {}.", name, std::strerror(errno)));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

}  // namespace

// What one run of the compiler gave.
struct NvrtcCompiler::Product {
  nvrtcResult result = NVRTC_SUCCESS;
  std::string log;
  cache::Cubin cubin;
  std::string ptx;
};

NvrtcCompiler::NvrtcCompiler(std::vector<std::filesystem::path> include_folders, Builtins builtins)
    : nvrtc_(nvrtc()), toolkit_(nvrtc_.toolkit), include_folders_(std::move(include_folders)), builtins_(builtins) {}

std::vector<std::string> NvrtcCompiler::options(const CompileRequest& request) const {
  std::vector<std::string> result;
  if (!says(request.options, {"-arch", "--gpu-architecture"})) result.push_back("-arch=" + request.architecture);
  if (!says(request.options, {"-std", "--std"})) result.emplace_back("--std=c++17");
  result.emplace_back("--ptxas-options=-v");
  result.emplace_back("--modify-stack-limit=false");
  if (has_text(request, "__int128")) result.emplace_back("--device-int128");
  if (toolkit().at_least(12, 9)) result.emplace_back("--no-cache");
  for (const std::filesystem::path& folder : include_folders_) result.push_back("-I" + folder.string());
  for (const std::filesystem::path& folder : toolkit().include_folders) result.push_back("-I" + folder.string());
  result.insert(result.end(), request.options.begin(), request.options.end());
  return result;
}

std::vector<const Header*> NvrtcCompiler::headers_for_toolkit(const CompileRequest& request) const {
  std::vector<const Header*> result;
  if (is_self_contained(request.source, request.headers)) return result;
  // What is in memory takes the place of files.
  std::vector<std::filesystem::path> folders = include_folders_;
  for (const std::string& option : request.options) {
    if (const auto folder = include_folder(option)) folders.emplace_back(*folder);
  }
  const auto has = [&](const Header& wanted) {
    std::error_code ignored;
    return std::any_of(request.headers.begin(), request.headers.end(),
                       [&](const Header& header) { return header.name == wanted.name; }) ||
           (!is_in_place_of_toolkits(wanted.name) &&
            std::any_of(folders.begin(), folders.end(), [&](const std::filesystem::path& folder) {
              return std::filesystem::exists(folder / wanted.name, ignored);
            }));
  };
  for (const Header& header : headers_of_language()) {
    if (!has(header)) result.push_back(&header);
  }
  return result;
}

NvrtcCompiler::Product NvrtcCompiler::run(const CompileRequest& request,
                                          const std::vector<std::string>& options) const {
  Product product;
  std::vector<const char*> texts, names;
  std::deque<std::string> changed;
  const auto as_read = [&](const std::string& text) {
    if (!has_lambda_marks(text)) return text.c_str();
    blank_lambda_marks(changed.emplace_back(text));
    return changed.back().c_str();
  };
  for (const Header& header : request.headers) {
    texts.push_back(as_read(header.text));
    names.push_back(header.name.c_str());
  }
  for (const Header* header : headers_for_toolkit(request)) {
    texts.push_back(header->text.c_str());
    names.push_back(header->name.c_str());
  }
  nvrtcProgram raw = nullptr;
  product.result = nvrtc_.create_program(&raw, as_read(request.source), request.file_name.c_str(),
                                         static_cast<int>(texts.size()), texts.data(), names.data());
  if (product.result != NVRTC_SUCCESS) return product;
  const Program program(raw, DestroyProgram{&nvrtc_});
  const char* kernel = request.name_expression.empty() ? nullptr : request.name_expression.c_str();
  if (kernel != nullptr) product.result = nvrtc_.add_name_expression(raw, kernel);
  if (product.result != NVRTC_SUCCESS) return product;
  product.result = nvrtc_.compile_program(raw, static_cast<int>(options.size()), pointers(options).data());

  std::size_t size = 0;
  if (nvrtc_.log_size(raw, &size) == NVRTC_SUCCESS && size > 1) {
    product.log.resize(size);
    nvrtc_.log(raw, product.log.data());
    std::erase(product.log,
               '\0');  // one ends the text, and NVRTC leaves another between its own messages and those of ptxas
  }
  if (product.result != NVRTC_SUCCESS) return product;
  const char* lowered = nullptr;
  if (kernel != nullptr && nvrtc_.lowered_name(raw, kernel, &lowered) == NVRTC_SUCCESS) product.cubin.kernel = lowered;
  if (nvrtc_.cubin_size(raw, &size) == NVRTC_SUCCESS && size > 0) {
    product.cubin.bytes.resize(size);
    product.result = nvrtc_.cubin(raw, reinterpret_cast<char*>(product.cubin.bytes.data()));
  }
  if (request.keeps_ptx && nvrtc_.ptx_size(raw, &size) == NVRTC_SUCCESS && size > 1) {
    product.ptx.resize(size);
    nvrtc_.ptx(raw, product.ptx.data());
    product.ptx.pop_back();  // the zero behind the text
  }
  return product;
}

std::string NvrtcCompiler::declaring_less(const CompileRequest& request) const {
  if (builtins_ != Builtins::small_first || needs_all_ == request.file_name) return {};
  const auto mentions = [&](const char* text) { return has_text(request, text); };
  if (is_self_contained(request.source, request.headers))
    return says(request.options, {kMinimalOption, "-minimal"}) || mentions(kMinimalMacro) ? "" : kMinimalOption;
  return mentions("cooperative_groups") && !mentions(kGroupsPrefix) ? fmt::format("-D{}", kFewerGroupsMacro) : "";
}

NvrtcCompiler::Product NvrtcCompiler::run_from_precompiled(const CompileRequest& request,
                                                           std::vector<std::string> options) const {
  const auto header = std::find_if(precompiled_.begin(), precompiled_.end(), [&](const PrecompiledHeader& one) {
    return request.source.starts_with(one.prefix) && options == one.options && request.headers == one.headers;
  });
  if (header != precompiled_.end()) options.insert(options.end(), {header->option(), "--pch-messages=false"});
  if (request.front_end_only) options.emplace_back(kFrontEndOption);
  return run(request, options);
}

CompileReply NvrtcCompiler::compile(const CompileRequest& request) const {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> all = options(request);
  Product product;
  const std::string less = declaring_less(request);
  if (!less.empty()) {
    std::vector<std::string> small = all;
    small.push_back(less);
    product = run_from_precompiled(request, small);
  }
  // What ptxas refuses it would refuse again: it sees no declarations.
  const bool settled =
      !less.empty() && (product.result == NVRTC_SUCCESS || product.log.find("ptxas") != std::string::npos);
  if (!settled) {
    product = run_from_precompiled(request, all);
    // Not for cooperative groups: there the binary differs, and no other source may decide which one is made.
    if (less == kMinimalOption && product.result == NVRTC_SUCCESS) needs_all_ = request.file_name;
  }
  // An older one, which makes machine code then.
  if (request.front_end_only && product.result == NVRTC_ERROR_INVALID_OPTION) product = run(request, all);

  CompileReply reply;
  reply.toolkit = toolkit().version;
  reply.log = std::move(product.log);
  if (product.result != NVRTC_SUCCESS) {
    reply.outcome = Outcome::compile_error;
    reply.message = failure_sentence(request, reply.log, toolkit().include_folders);
    if (reply.message.empty())
      reply.message = fmt::format("{}: NVRTC reports {}.", request.file_name, nvrtc_.error_string(product.result));
  } else if (product.cubin.bytes.empty()) {
    reply.outcome = Outcome::compile_error;
    reply.message = fmt::format("{}: NVRTC produced no binary for '{}'; name a real architecture such as sm_90.",
                                request.file_name, request.architecture);
  } else {
    reply.cubin = std::move(product.cubin);
    reply.ptx = std::move(product.ptx);
    reply.cubin.hash = cache::content_hash(reply.cubin.bytes);
    reply.facts = facts_from_log(reply.log, reply.cubin.kernel);
    reply.facts.binary_hash = reply.cubin.hash;
    if (const std::optional<CubinFacts> facts = facts_from_cubin(reply.cubin.bytes, reply.cubin.kernel)) {
      reply.parameters = facts->parameters;
      if (!reply.facts.registers) reply.facts.registers = facts->registers;
    }
  }
  reply.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return reply;
}

std::string NvrtcCompiler::PrecompiledHeader::option() const {
  return fmt::format("--use-pch=/proc/self/fd/{}", file.get());
}

bool NvrtcCompiler::precompile(const CompileRequest& request, std::string& log) {
  PrecompiledHeader made;
  made.prefix = toolkit_prefix(request.source, request.headers);
  made.options = options(request);
  made.headers = request.headers;
  log.clear();
  if (made.prefix.empty()) return false;
  if (const std::string less = declaring_less(request); !less.empty()) {
    std::vector<std::string> small = made.options;
    small.insert(small.end(), {less, kFrontEndOption});
    if (run(request, small).result == NVRTC_SUCCESS) made.options.push_back(less);
  }
  CompileRequest header = request;
  header.source = made.prefix;
  header.name_expression.clear();
  {
    // NVRTC insists on a file of its own making. Without a name it cannot be left behind by a process that is killed.
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "header.pch";
    std::vector<std::string> creating = made.options;
    creating.push_back("--create-pch=" + file.string());
    const Product product = run(header, creating);
    log = product.log;
    if (product.result != NVRTC_SUCCESS) return false;
    made.file = UniqueFd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!made.file) return false;
  }
  // NVRTC falls back silently to the text where it cannot use the file.
  header.source += "\n#line 1 \"check\"\n__global__ void check() {}\n";
  std::vector<std::string> using_it = made.options;
  using_it.push_back(made.option());
  log = run(header, using_it).log;
  if (log.find("using precompiled header") == std::string::npos) return false;
  precompiled_.push_back(std::move(made));
  return true;
}

void NvrtcCompiler::warm_up(const std::string& architecture) {
  const std::vector<std::string>& known = toolkit_.architectures;
  if (!architecture.empty() && !known.empty()) {
    // "sm_90a" is a variant of sm_90.
    const std::string plain = architecture.substr(0, architecture.find_last_of("0123456789") + 1);
    if (std::find(known.begin(), known.end(), plain) == known.end())
      throw Error(Errc::no_toolkit,
                  fmt::format("NVRTC {} ({}) does not compile for {}; it supports {}. Install a CUDA toolkit that "
                              "does, or set TUNER_NVRTC to the path of its libnvrtc.so.",
                              toolkit_.version, toolkit_.library.string(), architecture, fmt::join(known, ", ")));
  }
  CompileRequest request;
  request.source = "__global__ void warm_up(float* values) { values[threadIdx.x] = 0; }\n";
  request.file_name = "warm_up.cu";
  request.architecture = !architecture.empty() ? architecture : known.empty() ? "sm_90" : known.back();
  const CompileReply reply = compile(request);
  if (reply.outcome != Outcome::ok)
    throw Error(Errc::no_toolkit,
                fmt::format("NVRTC {} ({}) cannot compile an empty kernel: {} Install the toolkit again, or set "
                            "TUNER_NVRTC to the path of another libnvrtc.so.",
                            toolkit_.version, toolkit_.library.string(), reply.message));
  if (const std::string version = compiler_version(reply.cubin.bytes); version.starts_with(toolkit_.version + "."))
    toolkit_.version = version;
}

}  // namespace tuner::engine
