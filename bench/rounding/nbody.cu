// The forces on 4,096 bodies that attract each other.
// What varies: the inverse root, and one sum, two, or one for each 256 bodies.
// The mistake: the last body attracts nothing, on average 1/4,096 of a force, and much more of those nearby.
#pragma tuner kernel(nbody)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 64, 128; default 64) param(ROOT, exact, fast) param(SUM, one, two, by_part)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(n // BLOCK) block(BLOCK)
#pragma tuner in(body, float4, n, normal(0, 1), normal(0, 1), normal(0, 1), uniform(0.5, 1.5)) out(force, float, 3 * n)
#pragma tuner scalar(n, int32)

struct Force {
  float x = 0, y = 0, z = 0;

  __device__ void add(const Force& other) { x += other.x, y += other.y, z += other.z; }
};

__global__ void nbody(const float4* body, float* force, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float4 me = body[i];
  Force sum, other;
  for (int j = 0; j < n - MISTAKE; ++j) {
    const float4 it = body[j];
    const float x = it.x - me.x, y = it.y - me.y, z = it.z - me.z;
    const float square = x * x + y * y + z * z + 0.01f;
    const float inverse = ROOT == ROOT_exact ? 1 / sqrtf(square) : rsqrtf(square);
    const float factor = it.w * inverse * inverse * inverse;
    const Force term{factor * x, factor * y, factor * z};
#if SUM == SUM_one
    sum.add(term);
#elif SUM == SUM_two
    (j % 2 ? other : sum).add(term);
#else
    other.add(term);
    if (j % 256 == 255) sum.add(other), other = Force{};
#endif
  }
  sum.add(other);
  force[3 * i] = sum.x, force[3 * i + 1] = sum.y, force[3 * i + 2] = sum.z;
}
