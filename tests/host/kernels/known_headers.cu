// Headers of the toolkit that the CPU has, and an array in constant memory that is in a namespace.
#include <cuComplex.h>
#include <cuda.h>
#include <device_atomic_functions.h>
#include <driver_types.h>
#include <math_constants.h>
#include <sm_60_atomic_functions.h>
#include <thrust/complex.h>
#include <vector_functions.h>

#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>

namespace app {
namespace detail {
__constant__ float weights[3];
}

#pragma tuner kernel(app::use_headers) grid(1) block(BLOCK)
#pragma tuner problem(n: size = 64) problem_constraint(1 <= n) param(BLOCK, 32, 64)
#pragma tuner in(x, float, n) out(y, float, n) inout(count, uint32, 2) scalar(n, int32)
#pragma tuner constant(weights, float, 3, iota(1))
__global__ void use_headers(const float* x, float* y, unsigned* count, int n) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> seen(count[0]);
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    const cuFloatComplex a = cuCdivf(cuCmulf(make_cuFloatComplex(x[i], 1), make_cuFloatComplex(2, 0)),
                                     make_cuFloatComplex(2, 0));
    const cuda::std::complex<float> b(cuCrealf(a), 0);
    const thrust::complex<float> c(b.real(), 0);
    const cuda::std::array<float, 2> both{c.real(), make_float2(0, CUDART_PI_F).y};
    const auto parts = cuda::std::make_tuple(both[0], both[1]);
    const float sum = cuda::std::get<0>(parts) + cuda::std::get<1>(parts);
    y[i] = cuda::std::bit_cast<float>(cuda::std::bit_cast<cuda::std::uint32_t>(sum)) * detail::weights[i % 3];
    seen.fetch_add(cuda::std::numeric_limits<int>::digits, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<unsigned>(count[1])++;
  }
}
}  // namespace app
