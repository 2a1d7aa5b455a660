// For programs into which the C++ library is linked statically. That of Debian 12 takes its random numbers from
// arc4random, which glibc has from 2.36 on; with this one the programs run with 2.35.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();  // cannot happen for so few bytes
  return number;
}
