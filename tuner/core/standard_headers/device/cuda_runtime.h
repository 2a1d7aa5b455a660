// NVRTC declares the device's part of the runtime before the first line. The toolkit's header brings these, too.
#ifndef _TUNER_CUDA_RUNTIME_H
#define _TUNER_CUDA_RUNTIME_H
#include <__tuner/cmath>
#include <__tuner/cstddef>
#include <__tuner/cstdint>
#include <__tuner/cstdlib>
#include <__tuner/cstring>
#endif
