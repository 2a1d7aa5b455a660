#include <doctest/doctest.h>

#include "tuner/host/shim/cuda_shim.hpp"
#include "tuner/host/shim/include/cuda_bf16.h"
#include "tuner/host/shim/include/cuda_fp16.h"

TEST_CASE("half precision rounds to nearest even, overflows to infinity and keeps subnormals") {
  CHECK_EQ(__float2half(1.0f).bits, 0x3c00);
  CHECK_EQ(__float2half(-2.5f).bits, 0xc100);
  CHECK_EQ(__float2half(65504.0f).bits, 0x7bff);
  CHECK_EQ(__float2half(65519.0f).bits, 0x7bff);
  CHECK_EQ(__float2half(65520.0f).bits, 0x7c00);
  CHECK_EQ(__float2half(1.0f + 1.0f / 2048).bits, 0x3c00);  // half way, to even
  CHECK_EQ(__float2half(1.0f + 3.0f / 2048).bits, 0x3c02);
  CHECK_EQ(__float2half(5.9604645e-08f).bits, 0x0001);  // the least there is
  CHECK_EQ(__float2half(2.9802322e-08f).bits, 0x0000);
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const __half value = __half::from_bits(static_cast<unsigned short>(bits));
    CHECK_EQ(__float2half(float(value)).bits, bits);
  }
}

TEST_CASE("bfloat16 is the upper half of a float, rounded") {
  CHECK_EQ(__float2bfloat16(1.0f).bits, 0x3f80);
  CHECK_EQ(__float2bfloat16(1.00390625f).bits, 0x3f80);  // half way, to even
  CHECK_EQ(__float2bfloat16(1.01171875f).bits, 0x3f82);
  CHECK_EQ(float(__ushort_as_bfloat16(0xc040)), -3.0f);
}

TEST_CASE("conversions stop at the ends, and not-a-number is zero") {
  CHECK_EQ(__float2int_rn(2.5f), 2);
  CHECK_EQ(__float2int_rz(-2.9f), -2);
  CHECK_EQ(__float2int_rd(-2.1f), -3);
  CHECK_EQ(__float2int_ru(2.1f), 3);
  CHECK_EQ(__float2int_rn(1e20f), 2147483647);
  CHECK_EQ(__float2uint_rn(-5.0f), 0u);
  CHECK_EQ(__float2int_rn(NAN), 0);
}

TEST_CASE("integer functions give what the hardware gives") {
  CHECK_EQ(__clz(1), 31);
  CHECK_EQ(__clz(0), 32);
  CHECK_EQ(__brev(1u), 0x80000000u);
  CHECK_EQ(__umulhi(0xffffffffu, 2u), 1u);
  CHECK_EQ(__funnelshift_l(0x80000000u, 1u, 1), 3u);
  CHECK_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7610), 0x77661100u);
  CHECK_EQ(__dp4a(0x01020304, 0x01010101, 5), 15);
  CHECK_EQ(__dp4a(0x000000ff, 0x00000002, 0), -2);
  CHECK_EQ(__dp4a(0x000000ffu, 0x00000002u, 0u), 510u);  // was taken for the signed one
  CHECK_EQ(min(3, 2.5), 2.5);
  CHECK_EQ(max(-1, 2u), 0xffffffffu);  // as in C: the common type is unsigned
}
