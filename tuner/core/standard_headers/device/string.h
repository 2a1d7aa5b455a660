// NVRTC declares memcpy and memset.
#ifndef _TUNER_STRING_H
#define _TUNER_STRING_H
__host__ __device__ inline int memcmp(const void* __a, const void* __b, size_t __count) {
  const unsigned char* __x = static_cast<const unsigned char*>(__a);
  const unsigned char* __y = static_cast<const unsigned char*>(__b);
  for (size_t __i = 0; __i < __count; ++__i) {
    if (__x[__i] != __y[__i]) return __x[__i] < __y[__i] ? -1 : 1;
  }
  return 0;
}
__host__ __device__ inline size_t strlen(const char* __text) {
  size_t __count = 0;
  while (__text[__count] != 0) ++__count;
  return __count;
}
#endif
