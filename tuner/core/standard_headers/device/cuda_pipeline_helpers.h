// The toolkit's own, with the types of nvcc: for NVRTC it makes uint64_t another.
#pragma push_macro("__CUDACC_RTC__")
#undef __CUDACC_RTC__
#include <cooperative_groups/../cuda_pipeline_helpers.h>
#pragma pop_macro("__CUDACC_RTC__")
