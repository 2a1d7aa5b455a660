#pragma once

#if __cplusplus <= 201703L
#error "The headers of tuner need C++20: compile what includes them with -std=c++20."
// A file that is not there ends the compilation: after the sentence alone, a hundred others would follow.
#include "tuner_needs_cxx20"
#endif

/// Marks what the shared library exports; everything else in it is hidden.
#define TUNER_API __attribute__((visibility("default")))

/// The driver's stream, declared as cuda.h and the CUDA runtime declare it, so that neither is needed here.
struct CUstream_st;

namespace tuner {

/// A CUstream, which is what cudaStream_t is, too. Null is the default stream.
using Stream = ::CUstream_st*;

}  // namespace tuner
