#pragma once

/// Marks what the shared library exports; everything else in it is hidden.
#define TUNER_API __attribute__((visibility("default")))

/// The driver's stream, declared as cuda.h and the CUDA runtime declare it, so that neither is needed here.
struct CUstream_st;

namespace tuner {

/// A CUstream, which is what cudaStream_t is, too. Null is the default stream.
using Stream = ::CUstream_st*;

}  // namespace tuner
