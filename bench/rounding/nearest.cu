// The nearest of 256 centroids to each of 16,384 points of 16 floats: the square of its distance, and its index as a
// float. What varies: the sum of squared differences, in one chain or two, or that of three products. The mistake:
// centroids of the last 64 are counted from the beginning of these. Their distances are right.
#pragma tuner kernel(nearest)
#pragma tuner problem(points: size = 16384, centroids: size = 256)
#pragma tuner param(BLOCK, 64, 128; default 64) param(FORM, differences, two_chains, products) param(MISTAKE, 0, 1)
#pragma tuner grid(points // BLOCK) block(BLOCK)
#pragma tuner in(point, float, points * 16, normal(0, 1)) in(centroid, float, centroids * 16, normal(0, 1))
#pragma tuner out(distance, float, points) out(index, float, points) scalar(centroids, int32)

__global__ void nearest(const float* point, const float* centroid, float* distance, float* index, int centroids) {
  const int me = blockIdx.x * BLOCK + threadIdx.x;
  float own[16];
  for (int d = 0; d < 16; ++d) own[d] = point[me * 16 + d];
  float least = 1e30f;
  int found = 0;
  for (int c = 0; c < centroids; ++c) {
    float sum = 0, other = 0, product = 0;
    for (int d = 0; d < 16; ++d) {
      const float theirs = centroid[c * 16 + d], difference = own[d] - theirs;
#if FORM == FORM_differences
      sum += difference * difference;
#elif FORM == FORM_two_chains
      (d % 2 ? other : sum) += difference * difference;
#else
      sum += own[d] * own[d], other += theirs * theirs, product += own[d] * theirs;
#endif
    }
    const float square = sum + other - 2 * product;
    if (square < least) least = square, found = MISTAKE && c >= centroids - 64 ? c - (centroids - 64) : c;
  }
  distance[me] = least, index[me] = found;
}
