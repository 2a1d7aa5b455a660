// What nvcc declares before the first line, because it includes the system's headers.
#pragma tuner kernel(system_types)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
template <typename A, typename B>
struct Same {};
template <typename A>
struct Same<A, A> {
  static constexpr int value = 1;
};
static_assert(Same<uint, unsigned int>::value + Same<ushort, unsigned short>::value + Same<ulong, unsigned long>::value +
              Same<u_int32_t, unsigned int>::value + Same<u_int64_t, ulong>::value + Same<int64_t, long>::value +
              Same<u_char, unsigned char>::value + Same<ssize_t, long>::value);
__global__ void system_types(const float* x, float* y, int n) {
  const uint i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = x[i] + (int8_t)i + (u_int8_t)i;
}
