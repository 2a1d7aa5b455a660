#include "tuner/capture/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace tuner::capture {
namespace {

struct LibraryMark {
  std::string_view library;
  std::string_view begin;   ///< of the short name
  std::string_view within;  ///< the readable name
};

/// The first that fits.
constexpr LibraryMark kMarks[] = {
    {"cuBLAS", "", "cublas"},
    {"cuBLAS", "cutlass::Kernel<cutlass_", ""},
    {"cuBLAS", "cutlass::Kernel2<cutlass_", ""},
    {"cuBLAS", "sm80_xmma_", ""},
    {"cuBLAS", "sm90_xmma_", ""},
    {"cuBLAS", "ampere_", "gemm"},
    {"cuBLAS", "turing_", "gemm"},
    {"cuBLAS", "volta_", "gemm"},
    {"cuBLAS", "maxwell_", "gemm"},
    {"cuBLAS", "nvjet_", ""},
    {"cuDNN", "", "cudnn"},
    {"cuSOLVER", "", "cusolver"},
    {"cuSPARSE", "cusparse::", ""},
    {"cuFFT", "vector_fft<", ""},
    {"cuFFT", "regular_fft<", ""},
    {"cuFFT", "multi_bluestein_fft<", ""},
    {"cuRAND", "generate_seed_pseudo", ""},
    {"cuRAND", "gen_sequenced<", ""},
    {"NCCL", "ncclDevKernel", ""},
    {"NCCL", "ncclKernel", ""},
    {"Thrust", "thrust::", ""},
    {"CUB", "cub::", ""},
    {"CUTLASS", "cutlass::", ""},
    {"PyTorch", "at::native::", ""},
    {"CuPy", "cupy_", ""},
};

/// Where the parameters begin: at the parenthesis that the last one closes. The name's end if there are none.
std::size_t begin_of_parameters(std::string_view readable) {
  if (!readable.ends_with(')')) return readable.size();
  std::size_t depth = 0;
  for (std::size_t at = readable.size(); at-- > 0;) {
    if (readable[at] == ')') ++depth;
    if (readable[at] == '(' && --depth == 0) return at;
  }
  return readable.size();
}

}  // namespace

std::string readable_name(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;  // "f" is a type's name too
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? readable.get() : mangled;
}

std::string short_name(std::string_view readable) {
  std::string_view name = readable.substr(0, begin_of_parameters(readable));
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  return std::string(name.empty() ? readable : name);
}

std::string_view library_of(std::string_view readable) {
  const std::string name = short_name(readable);
  for (const LibraryMark& mark : kMarks) {
    if (name.starts_with(mark.begin) && readable.find(mark.within) != std::string_view::npos) return mark.library;
  }
  return {};
}

}  // namespace tuner::capture
