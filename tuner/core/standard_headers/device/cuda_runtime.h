// NVRTC declares the device's part of the runtime before the first line. The toolkit's header brings these, too.
#ifndef _TUNER_CUDA_RUNTIME_H
#define _TUNER_CUDA_RUNTIME_H
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#endif
