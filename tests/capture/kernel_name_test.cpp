#include "tuner/capture/kernel_name.hpp"

#include <doctest/doctest.h>

using namespace tuner::capture;

TEST_CASE("mangled names are shown as they were written, and others as they are") {
  CHECK(readable_name("_Z5scaleIfEvPT_i") == "void scale<float>(float*, int)");
  CHECK(readable_name("plain") == "plain");
  CHECK(readable_name("f") == "f");
  CHECK(readable_name("_Zwhat") == "_Zwhat");
}

TEST_CASE("a short name has neither a result nor parameters") {
  CHECK(short_name("void scale<float>(float*, int)") == "scale<float>");
  CHECK(short_name("ns::scale<(Kind)2>(void (*)(int))") == "ns::scale<(Kind)2>");
  CHECK(short_name("plain") == "plain");
  CHECK(short_name("(odd)") == "(odd)");
}

TEST_CASE("kernels of libraries are known by their names") {
  CHECK(library_of("void cub::DeviceReduceKernel<int>(int*)") == "CUB");
  CHECK(library_of("void thrust::cuda_cub::core::_kernel_agent<cub::X>(int)") == "Thrust");
  CHECK(library_of("void gemv2T_kernel_val<int, cublasGemvParams<float> >(cublasGemvParams<float>)") == "cuBLAS");
  CHECK(library_of("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_nn>(Params)") == "cuBLAS");
  CHECK(library_of("void cutlass::Kernel<cutlass::gemm::kernel::Gemm<int> >(Params)") == "CUTLASS");
  CHECK(library_of("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n") == "cuBLAS");
  CHECK(library_of("scale(float*)") == "");
  CHECK(library_of("my_cub::kernel(float*)") == "");
}
