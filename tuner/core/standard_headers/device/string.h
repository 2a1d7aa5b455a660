// NVRTC declares memcpy and memset.
