// The driver's types, for those that kernels take and classes of the host hold. Its functions are the host's.
#ifndef _TUNER_CUDA_H
#define _TUNER_CUDA_H
#include <__tuner/stdint.h>
#ifndef CUDA_VERSION
#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)
#endif
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUarray_st* CUarray;
typedef struct CUctx_st* CUcontext;
typedef struct CUevent_st* CUevent;
typedef struct CUfunc_st* CUfunction;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphExec_st* CUgraphExec;
typedef struct CUkern_st* CUkernel;
typedef struct CUlib_st* CUlibrary;
typedef struct CUmemPoolHandle_st* CUmemoryPool;
typedef struct CUmod_st* CUmodule;
typedef struct CUstream_st* CUstream;
#if __CUDACC_VER_MAJOR__ >= 12
typedef struct CUtensorMap_st {
#if __CUDACC_VER_MAJOR__ >= 13
  alignas(128)
#else
  alignas(64)
#endif
      cuuint64_t opaque[16];
} CUtensorMap;
#endif
#endif
