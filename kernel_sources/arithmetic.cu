// Arithmetic that costs more than it looks.
//
//   result[i] = sum over k of (x[i] * c[k] + 0.5) / divisor        k below `terms`
//
// Two additions, a multiplication and a division a term, and each of these habits changes what they become:
//
//   DIVISION  divide        a division is a subroutine: an estimate, several steps that correct it, a test for special
//                           cases
//             inverse       one division in advance, a multiplication a term
//   LITERAL   of_double     0.5 is a double, and float code with doubles in it is done in double, conversions included
//             of_type       TYPE(0.5)
//   UNROLL    steps of the loop in one, so that its counter and address are advanced and compared once for all of them;
//             0: as the compiler likes
//   INDEX     the type of the counter: 64 bits are two registers and two instructions for each step of arithmetic
//   FMAD      may the compiler contract a * b + c into one instruction? It rounds once instead of twice, so results
//             differ in the last bits
//
// All of them stay in the caches: n results and a table of `terms` coefficients.
#include "tuner_device.cuh"

#pragma tuner kernel(arithmetic)
#pragma tuner problem(n: size = 4194304, terms: size = 512, TYPE: constant = float)
#pragma tuner problem_constraint(1 <= n <= 1000000000) problem_constraint(0 <= terms <= 100000)
#pragma tuner problem_constraint(TYPE in (float, double))

#pragma tuner param(BLOCKDIMX, 64, 128, 256, 512; default 128)
#pragma tuner param(DIVISION, divide, inverse)
#pragma tuner param(LITERAL, of_double, of_type)
#pragma tuner param(UNROLL, 0, 1, 4, 8, 16)
#pragma tuner param(INDEX, int64, int32)
#pragma tuner option(FMAD, "--fmad=true", "--fmad=false")

#pragma tuner constraint(TYPE == float || LITERAL == of_double)

#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner in(x, TYPE, n, uniform(0, 1))
#pragma tuner in(coefficients, TYPE, terms, uniform(0, 1))
#pragma tuner out(result, TYPE, n)
#pragma tuner scalar(divisor, TYPE, value 3) scalar(n, int32) scalar(terms, int32)
#pragma tuner work(bytes = sizeof(TYPE) * (2 * n + terms), flops = 4 * n * terms, type = TYPE)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 128
#endif
#ifndef TYPE
#define TYPE float
#endif
#ifndef DIVISION
#define DIVISION_divide 0
#define DIVISION_inverse 1
#define DIVISION DIVISION_divide
#endif
#ifndef LITERAL
#define LITERAL_of_double 0
#define LITERAL_of_type 1
#define LITERAL LITERAL_of_double
#endif
#ifndef UNROLL
#define UNROLL 0
#endif
#ifndef INDEX
#define INDEX long long
#endif

extern "C" __global__ void arithmetic(const TYPE* x, const TYPE* coefficients, TYPE* result, TYPE divisor, int n,
                                      int terms) {
  const INDEX i = static_cast<INDEX>(blockIdx.x) * BLOCKDIMX + threadIdx.x;
  if (i >= n) return;
#if LITERAL == LITERAL_of_double
  constexpr double half = 0.5;
#else
  constexpr TYPE half = static_cast<TYPE>(0.5);
#endif
#if DIVISION == DIVISION_inverse
  const TYPE inverse = 1 / divisor;
#endif
  const TYPE value = x[i];
  TYPE sum = 0;
#if UNROLL > 0
  constexpr int steps_at_once = UNROLL;  // nvcc, unlike NVRTC, expands no macro in a pragma
#pragma unroll steps_at_once
#endif
  for (INDEX k = 0; k < terms; ++k) {
#if DIVISION == DIVISION_inverse
    sum += (value * coefficients[k] + half) * inverse;
#else
    sum += (value * coefficients[k] + half) / divisor;
#endif
  }
  result[i] = sum;
}
