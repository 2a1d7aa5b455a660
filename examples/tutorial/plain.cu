// Gravitational acceleration of each of n bodies. Each body is stored as x, y, z, mass.

extern "C" __global__ void gravity(const float4* bodies, float4* acceleration, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 me = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int k = 0; k < n; ++k) {
    const float4 other = bodies[k];
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
    const float pull = other.w * inverse * inverse * inverse;
    x += pull * dx;
    y += pull * dy;
    z += pull * dz;
  }
  acceleration[i] = make_float4(x, y, z, 0);
}
