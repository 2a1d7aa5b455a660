// NVRTC declares printf.
