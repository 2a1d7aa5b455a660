#include "tuner/core/standard_headers/standard_headers.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "tuner/core/standard_headers/device_headers.hpp"

namespace tuner {
namespace {

/// Of C++ and of the system. Between blanks, so that a name is found whole.
constexpr std::string_view kHostOnly =
    " any atomic barrier bit bits/stdc++.h bitset ccomplex cctype cerrno cfenv charconv chrono ciso646 clocale codecvt "
    "compare "
    "complex concepts condition_variable coroutine csetjmp csignal cstdarg cstdbool ctime cuchar cwchar cwctype "
    "deque exception execution expected filesystem flat_map flat_set format forward_list fstream functional future "
    "generator initializer_list iomanip ios iosfwd iostream istream iterator latch list locale map mdspan memory "
    "memory_resource mutex new numbers numeric optional ostream print queue random ranges ratio regex "
    "scoped_allocator semaphore set shared_mutex source_location span spanstream sstream stack stacktrace stdexcept "
    "stdfloat stop_token streambuf string string_view strstream syncstream system_error thread tuple typeindex "
    "typeinfo unordered_map unordered_set valarray variant vector version complex.h ctype.h dirent.h errno.h fcntl.h "
    "fenv.h getopt.h iso646.h libgen.h locale.h malloc.h memory.h mpi.h omp.h pthread.h sched.h setjmp.h signal.h "
    "stdarg.h stdbool.h strings.h sys/mman.h sys/resource.h sys/stat.h sys/time.h sys/types.h sys/wait.h time.h "
    "uchar.h unistd.h wchar.h wctype.h byteswap.h dlfcn.h emmintrin.h endian.h err.h execinfo.h ftw.h glob.h "
    "immintrin.h netdb.h numa.h poll.h pwd.h regex.h search.h semaphore.h syslog.h termios.h utime.h values.h "
    "x86intrin.h xmmintrin.h ";
/// Of the toolkit and of libraries on top of it.
constexpr std::string_view kHostOnlyOfCuda =
    " cublas.h cublasLt.h cublas_api.h cublas_v2.h cublasXt.h cudaTypedefs.h cuda_gl_interop.h cuda_profiler_api.h "
    "cudaGL.h cudaProfiler.h cudnn.h cufft.h cufftXt.h cufile.h cusolverDn.h cusolverSp.h cusolver_common.h "
    "cusparse.h cutensor.h nccl.h npp.h nppi.h nvJitLink.h nvml.h nvrtc.h nvToolsExt.h nvtx3/nvToolsExt.h "
    "nvtx3/nvtx3.hpp cub/util_allocator.cuh thrust/adjacent_difference.h thrust/async/copy.h "
    "thrust/async/for_each.h thrust/async/reduce.h thrust/async/scan.h thrust/async/sort.h thrust/async/transform.h "
    "thrust/binary_search.h thrust/copy.h thrust/count.h thrust/device_allocator.h thrust/device_delete.h "
    "thrust/device_free.h thrust/device_malloc.h thrust/device_malloc_allocator.h thrust/device_new.h "
    "thrust/device_ptr.h thrust/device_vector.h thrust/equal.h thrust/event.h thrust/execution_policy.h "
    "thrust/extrema.h thrust/fill.h thrust/find.h thrust/for_each.h thrust/future.h thrust/gather.h "
    "thrust/generate.h thrust/host_vector.h thrust/inner_product.h thrust/logical.h thrust/memory.h thrust/merge.h "
    "thrust/mismatch.h thrust/partition.h thrust/random.h thrust/reduce.h thrust/remove.h thrust/replace.h "
    "thrust/reverse.h thrust/scan.h thrust/scatter.h thrust/sequence.h thrust/set_operations.h thrust/shuffle.h "
    "thrust/sort.h thrust/swap.h thrust/system/cuda/execution_policy.h thrust/system/cuda/vector.h "
    "thrust/system/omp/execution_policy.h thrust/system_error.h thrust/tabulate.h thrust/transform.h "
    "thrust/transform_reduce.h thrust/transform_scan.h thrust/uninitialized_copy.h thrust/uninitialized_fill.h "
    "thrust/unique.h thrust/universal_allocator.h thrust/universal_ptr.h thrust/universal_vector.h ";
/// Of the system, and of libraries that only hosts use.
constexpr std::array<std::string_view, 10> kHostOnlyFolders{"arpa/",  "asm/", "boost/",   "cub/device/", "GL/",
                                                            "linux/", "net/", "netinet/", "opencv2/",    "sys/"};
/// Of the toolkit, for kernels.
constexpr std::string_view kOfToolkit =
    " builtin_types.h cooperative_groups.h cuComplex.h cuda_awbarrier.h cuda_bf16.h cuda_bf16.hpp cuda_fp16.h "
    "cuda_fp16.hpp cuda_fp4.h cuda_fp6.h cuda_fp8.h cuda_pipeline.h cuda_pipeline_primitives.h curand_kernel.h "
    "device_functions.h device_types.h driver_types.h math_constants.h math_functions.h mma.h vector_types.h ";
/// So that `using namespace std;` has something to name.
constexpr std::string_view kEmpty = "namespace std {}\n";

/// Ours include each other under names that no header of a user's has.
constexpr std::string_view kPrivate = "__tuner/";
constexpr std::string_view kUncounted = "__tuner/uncounted";

bool is_in(std::string_view list, std::string_view name) {
  if (name.find(' ') != std::string_view::npos) return false;
  for (std::size_t at = list.find(name); at != std::string_view::npos; at = list.find(name, at + 1)) {
    if (at > 0 && list[at - 1] == ' ' && list[at + name.size()] == ' ') return true;
  }
  return false;
}

bool is_host_only(std::string_view name) {
  const auto is_within = [&](std::string_view folder) { return name.starts_with(folder); };
  return is_in(kHostOnly, name) || is_in(kHostOnlyOfCuda, name) ||
         std::any_of(kHostOnlyFolders.begin(), kHostOnlyFolders.end(), is_within);
}

std::vector<Header> make_headers_of_language() {
  std::vector<Header> headers;
  for (const DeviceHeader& header : device_headers()) {
    const bool is_of_language = !is_of_runtime(header.name) && header.name.find('/') == std::string_view::npos;
    if (is_of_language || is_in_place_of_toolkits(header.name))
      headers.push_back({std::string(header.name), std::string(header.text)});
    headers.push_back({std::string(kPrivate) + std::string(header.name), std::string(header.text)});
  }
  for (std::size_t at = 1; at < kHostOnly.size(); at = kHostOnly.find(' ', at) + 1)
    headers.push_back({std::string(kHostOnly.substr(at, kHostOnly.find(' ', at) - at)), std::string(kEmpty)});
  return headers;
}

}  // namespace

std::optional<std::string_view> standard_header(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (name == kUncounted) return kEmpty;
  const bool is_private = name.starts_with(kPrivate);
  if (is_private) name.remove_prefix(kPrivate.size());
  for (const DeviceHeader& header : device_headers()) {
    if (header.name == name) return header.text;
  }
  if (!is_private && is_host_only(name)) return kEmpty;
  return std::nullopt;
}

bool is_standard(const Header& header) {
  const auto text = standard_header(header.name);
  return text && (*text == header.text || header.text == kEmpty);
}

std::string_view empty_header() {
  return kEmpty;
}

bool is_of_runtime(std::string_view name) {
  return name == "cuda_runtime.h" || name == "cuda_runtime_api.h" || name == "device_launch_parameters.h";
}

bool is_in_place_of_toolkits(std::string_view name) {
  return name == "cuda/std/cstdint" || name == "cuda_awbarrier_helpers.h" || name == "cuda_pipeline_helpers.h";
}

const std::vector<Header>& headers_of_language() {
  static const std::vector<Header> headers = make_headers_of_language();
  return headers;
}

bool is_for_host_only(const Header& header) {
  return is_standard(header) && header.text == kEmpty;
}

Header mark_of_uncounted() {
  return {std::string(kUncounted), std::string(kEmpty)};
}

bool begins_uncounted(const Header& header) {
  return header.name == kUncounted || (is_of_runtime(header.name) && is_standard(header));
}

bool is_library_header(std::string_view name) {
  if (standard_header(name)) return true;
  if (name.find('.') == std::string_view::npos) return true;  // <cstdint>, <cuda/std/array>
  for (const std::string_view folder : {"cub/", "thrust/", "cuda/std/", "nv/", "cooperative_groups/"}) {
    if (name.starts_with(folder)) return true;
  }
  return is_in(kOfToolkit, name);
}

std::vector<Header> without_standard(const std::vector<Header>& headers) {
  std::vector<Header> others;
  std::remove_copy_if(headers.begin(), headers.end(), std::back_inserter(others), is_standard);
  return others;
}

}  // namespace tuner
