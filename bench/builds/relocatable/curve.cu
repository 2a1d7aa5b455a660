__device__ float curve(float x) {
  return x / (1 + x * x);
}
