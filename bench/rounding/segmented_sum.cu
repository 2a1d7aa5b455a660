// Sums of 65,536 segments of about 32 floats of both signs; some are empty.
// What varies: the lanes of a warp that share a segment, and the accumulators of each.
// The mistake: every 128th segment lacks its last element, about 1/6 of the sum.
#pragma tuner kernel(segmented_sum)
#pragma tuner problem(segments: size = 65536)
#pragma tuner param(BLOCK, 128, 256) param(LANES, 1, 4, 32) param(CHAINS, 1, 2) param(MISTAKE, 0, 1)
#pragma tuner grid(segments * LANES // BLOCK) block(BLOCK)
#pragma tuner in(start, int32, segments + 1, offsets(segments, 32, 32)) in(x, float, start_last, uniform(-1, 1))
#pragma tuner out(sums, float, segments)

__global__ void segmented_sum(const int* start, const float* x, float* sums) {
  const int segment = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  const int end = start[segment + 1] - (MISTAKE && segment % 128 == 127);
  float sum[CHAINS] = {};
  for (int i = start[segment] + lane; i < end; i += LANES * CHAINS) {
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
      if (i + chain * LANES < end) sum[chain] += x[i + chain * LANES];
    }
  }
  for (int chain = 1; chain < CHAINS; ++chain) sum[0] += sum[chain];
  for (int distance = LANES / 2; distance > 0; distance /= 2) sum[0] += __shfl_xor_sync(~0u, sum[0], distance);
  if (lane == 0) sums[segment] = sum[0];
}
