// Vectors and structures by value, of every odd kind. Each reference takes none of them and knows what must be in them;
// what a kernel is given is n, through expressions.
#include <cuda_fp16.h>

#include "value_types.cuh"

#ifndef BLOCK
#define BLOCK 128
#endif

namespace {
__device__ int at() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
}

struct Mixed {
  float first;
  half2 halves;
  int last;
};

#pragma tuner kernel(vectors) reference(right_vectors; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(shift, float3, 0.5, n, -2) value(span, int2, n // 3, 7)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void vectors(float3 shift, int2 span, double* y, int n) {
  if (at() < n) y[at()] = at() + (shift.x + shift.y * 2 + shift.z * 3 + span.x * 5.0 + span.y * 7);
}
__global__ void right_vectors(double* y, int n) {
  if (at() < n) y[at()] = at() + (0.5 + n * 2.0 - 6 + n / 3 * 5.0 + 49);
}

#pragma tuner kernel(boxes) reference(right_boxes; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(box, Box, 0, 1, 2, n, n + 1, 0.25, 3, -4, n)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void boxes(const Box box, double* y, int n) {
  if (at() < n) y[at()] = at() + (box.low.x + box.low.y * 2 + box.low.z * 3 + box.high.x * 5.0 +
                                  box.high.y * 7.0 + box.high.z * 11 + box.cells.x * 13 +
                                  box.cells.y * 17 + box.cells.z * 19.0);
}
__global__ void right_boxes(double* y, int n) {
  if (at() < n) y[at()] = at() + (2 + 6 + n * 5.0 + (n + 1) * 7.0 + 2.75 + 39 - 68 + n * 19.0);
}

#pragma tuner kernel(padded) reference(right_padded; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(it, Padded, 65, n / 2, -300, n > 0)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void padded(Padded it, double* y, int n) {
  if (at() < n) y[at()] = at() + (it.tag + it.weight * 2 + it.count * 3 + it.on * 5);
}
__global__ void right_padded(double* y, int n) {
  if (at() < n) y[at()] = at() + (65 + n - 900 + 5);
}

#pragma tuner kernel(arrays) reference(right_arrays; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(it, Stencil, 3, 1, 2, 3, 4, 5, 6, n, 250, 0, 255)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void arrays(Stencil it, double* y, int n) {
  if (at() < n) y[at()] = at() + (it.radius + it.weights[0] + it.weights[3] * 2 +
                                  it.weights[6] * 3.0 + it.tags[0] * 5 + it.tags[2] * 7);
}
__global__ void right_arrays(double* y, int n) {
  if (at() < n) y[at()] = at() + (3 + 1 + 8 + n * 3.0 + 1250 + 1785);
}

#pragma tuner kernel(enums) reference(right_enums; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(rule, Rule, 1, true, n * n * 4096) value(mode, Mode, 2)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void enums(Rule rule, Mode mode, double* y, int n) {
  if (at() < n) y[at()] = at() + ((rule.mode == Mode::peak) + rule.inverted * 2 +
                                  rule.limit * 3.0 + (mode == Mode::last) * 5);
}
__global__ void right_enums(double* y, int n) {
  if (at() < n) y[at()] = at() + (1 + 2 + 4096.0 * n * n * 3 + 5);
}

#pragma tuner kernel(large) reference(right_large; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(it, Large, {1, 2, 3, n}, n, 0.125)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void large(const Large it, double* y, int n) {
  if (at() < n) y[at()] = at() + (it.values[0] + it.values[3] * 2 + it.values[23] * 3 +
                                  it.last * 5.0 + it.end * 8);
}
__global__ void right_large(double* y, int n) {
  if (at() < n) y[at()] = at() + (1 + n * 2.0 + n * 5.0 + 1);
}

#pragma tuner kernel(aligned) reference(right_aligned; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(it, Aligned, n * 0.5, 7) value(other, double2, 1.5, n)
#pragma tuner value(four, float4, 1, 2, 3, n)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void aligned(Aligned it, double2 other, float4 four, double* y, int n) {
  if (at() < n) y[at()] = at() + (it.first + it.second * 2 + other.x * 3 + other.y * 5 + four.x +
                                  four.w * 7.0);
}
__global__ void right_aligned(double* y, int n) {
  if (at() < n) y[at()] = at() + (n * 0.5 + 14 + 4.5 + n * 5.0 + 1 + n * 7.0);
}

#pragma tuner kernel(flags) reference(right_flags; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(on, bool, n % 2 == n % 2) value(cells, int3, 1, -1, n)
#pragma tuner value(tag, unsigned char, 200) value(tile, dim3, n, 2, 3)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void flags(bool on, int3 cells, unsigned char tag, dim3 tile, double* y, int n) {
  if (at() < n) y[at()] = at() + (on + cells.x * 2 + cells.y * 3 + cells.z * 5.0 + tag * 7 +
                                  tile.x * 11.0 + tile.z * 13);
}
__global__ void right_flags(double* y, int n) {
  if (at() < n) y[at()] = at() + (1 + 2 - 3 + n * 5.0 + 1400 + n * 11.0 + 39);
}

#pragma tuner kernel(halves) reference(right_halves; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(two, half2, 0.5, -2) value(one, __half, 1024)
#pragma tuner value(mixed, Mixed, 0.25, {3, 4}, n)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void halves(half2 two, __half one, Mixed mixed, double* y, int n) {
  if (at() < n) y[at()] = at() + (__low2float(two) + __high2float(two) * 2 +
                                  __half2float(one) * 3 + mixed.first +
                                  __high2float(mixed.halves) * 5 + mixed.last * 7.0);
}
__global__ void right_halves(double* y, int n) {
  if (at() < n) y[at()] = at() + (0.5 - 4 + 3072 + 0.25 + 20 + n * 7.0);
}

#pragma tuner kernel(templates) reference(right_templates; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(pair, Pair<float, Pair<int, double>>, 0.5, n, n * 0.25)
#pragma tuner value(nest, Nest, 2, {3, n})
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void templates(Pair<float, Pair<int, double>> pair, Nest nest, double* y, int n) {
  if (at() < n) y[at()] = at() + (pair.first + pair.second.first * 2.0 + pair.second.second * 3 +
                                  nest.second.first * 5 + nest.second.second * 7);
}
__global__ void right_templates(double* y, int n) {
  if (at() < n) y[at()] = at() + (0.5 + n * 2.0 + n * 0.75 + 15 + n * 7.0);
}

#pragma tuner kernel(constructors) reference(right_constructors; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(camera, Camera, {0, 1, n}, {2, 3, 4}, 0.5) value(eye, Point, 5, 6, n)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void constructors(Camera camera, Point eye, double* y, int n) {
  if (at() < n) y[at()] = at() + (camera.from.y + camera.from.z * 2.0 + camera.to.x * 3 +
                                  camera.angle * 4 + eye.x + eye.z * 5.0);
}
__global__ void right_constructors(double* y, int n) {
  if (at() < n) y[at()] = at() + (1 + n * 2.0 + 6 + 2 + 5 + n * 5.0);
}

#pragma tuner kernel(bits) reference(right_bits; args(y, n))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(bits, Bits, 5, -9, 0.5)
#pragma tuner out(y, double, n) scalar(n, int32)
__global__ void bits(Bits bits, double* y, int n) {
  if (at() < n) y[at()] = at() + (bits.first + bits.second * 2 + bits.real * 4);
}
__global__ void right_bits(double* y, int n) {
  if (at() < n) y[at()] = at() + (5 - 18 + 2);
}

// The tag holds no n above 255.
#pragma tuner kernel(tags) problem(n: size = 100) param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner value(tag, unsigned char, n) out(y, double, n) scalar(n, int32)
__global__ void tags(unsigned char tag, double* y, int n) {
  if (at() < n) y[at()] = at() + tag;
}
