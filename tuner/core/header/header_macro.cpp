#include "tuner/core/header/header_macro.hpp"

#include <algorithm>
#include <array>

namespace tuner {

namespace {

constexpr auto kStandard = std::to_array<std::string_view>({
    "NULL",         "EOF",          "TRUE",           "FALSE",        "NDEBUG",    "BUFSIZ",   "RAND_MAX",
    "EXIT_SUCCESS", "EXIT_FAILURE", "CLOCKS_PER_SEC", "TIME_UTC",     "L_tmpnam",  "FILE",     "DIR",
    "SEEK_SET",     "SEEK_CUR",     "SEEK_END",       "NAN",          "INFINITY",  "HUGE_VAL", "HUGE_VALF",
    "HUGE_VALL",    "MATH_ERRNO",   "MATH_ERREXCEPT", "EDOM",         "ERANGE",    "EILSEQ",   "EINTR",
    "EAGAIN",       "ENOENT",       "SIG_DFL",        "SIG_ERR",      "SIG_IGN",   "SIGABRT",  "SIGFPE",
    "SIGILL",       "SIGINT",       "SIGSEGV",        "SIGTERM",      "SIGKILL",   "CHAR_BIT", "ONCE_FLAG_INIT",
    "FLT_RADIX",    "FLT_ROUNDS",   "DECIMAL_DIG",    "O_RDONLY",     "O_WRONLY",  "O_RDWR",   "O_CREAT",
    "O_EXCL",       "O_TRUNC",      "O_APPEND",       "O_NOFOLLOW",   "O_CLOEXEC", "F_OK",     "R_OK",
    "W_OK",         "X_OK",         "CUDART_VERSION", "CUDA_VERSION", "CUDARTAPI", "CUDAAPI",  "LITTLE_ENDIAN",
    "BIG_ENDIAN",   "BYTE_ORDER",
});

}  // namespace

bool is_standard_macro(std::string_view name) {
  // INT_MAX, SIZE_MAX, FLT_EPSILON, LC_ALL, S_IRUSR, FE_INVALID, ATOMIC_INT_LOCK_FREE
  constexpr auto kBeginnings = std::to_array<std::string_view>(
      {"FLT_", "DBL_", "LDBL_", "LC_", "S_I", "FE_", "FP_", "ATOMIC_", "PRI", "SCN", "PTHREAD_", "M_PI"});
  constexpr auto kTypes =
      std::to_array<std::string_view>({"CHAR",   "SCHAR",   "UCHAR",  "SHRT",  "USHRT", "INT",     "UINT",   "LONG",
                                       "ULONG",  "LLONG",   "ULLONG", "SSIZE", "SIZE",  "PTRDIFF", "INTMAX", "UINTMAX",
                                       "INTPTR", "UINTPTR", "WCHAR",  "WINT",  "PATH",  "NAME",    "OPEN"});
  const auto begins = [&](std::string_view beginning) { return name.starts_with(beginning); };
  if (std::find(kStandard.begin(), kStandard.end(), name) != kStandard.end()) return true;
  if (std::any_of(kBeginnings.begin(), kBeginnings.end(), begins)) return true;
  if (!name.ends_with("_MAX") && !name.ends_with("_MIN") && !name.ends_with("_WIDTH")) return false;
  std::string_view type = name.substr(0, name.rfind('_'));
  if (type.starts_with("INT") || type.starts_with("UINT")) {
    type = type.substr(0, type.find_first_of("0123456789_"));  // INT32, INT_LEAST8
  }
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

bool may_be_macro(std::string_view name) {
  constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kRest = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (name.empty() || kUpper.find(name.front()) == std::string_view::npos) return false;
  return name.find_first_not_of(kRest) == std::string_view::npos && !is_standard_macro(name);
}

}  // namespace tuner
