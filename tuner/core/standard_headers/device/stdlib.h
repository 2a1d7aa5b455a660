// NVRTC declares malloc, free and abs.
