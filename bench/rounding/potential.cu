// The energy of each of 4,096 particles by a softened Lennard-Jones potential of all pairs.
// What varies: the power by multiplications or `powf`, and one sum, two, or one for each 256 particles.
// The mistake: the pair with the next particle is left out too: small in most elements, and 1 % where that is near.
#pragma tuner kernel(potential)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 64, 128; default 64) param(POWER, products, powf) param(SUM, one, two, by_part)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(n // BLOCK) block(BLOCK)
#pragma tuner in(particle, float4, n, uniform(0, 16), uniform(0, 16), uniform(0, 16), constant(0)) out(energy, float, n)
#pragma tuner scalar(n, int32)

__global__ void potential(const float4* particle, float* energy, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float4 me = particle[i];
  float sum = 0, other = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i || (MISTAKE && j == i + 1)) continue;
    const float x = particle[j].x - me.x, y = particle[j].y - me.y, z = particle[j].z - me.z;
    const float inverse = 1 / (x * x + y * y + z * z + 1);
    const float power = POWER == POWER_products ? inverse * inverse * inverse : powf(inverse, 3.0f);
    const float term = power * power - power;
#if SUM == SUM_one
    sum += term;
#elif SUM == SUM_two
    (j % 2 ? other : sum) += term;
#else
    other += term;
    if (j % 256 == 255) sum += other, other = 0;
#endif
  }
  energy[i] = sum + other;
}
