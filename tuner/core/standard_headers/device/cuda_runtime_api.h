#include <__tuner/cuda_runtime.h>
