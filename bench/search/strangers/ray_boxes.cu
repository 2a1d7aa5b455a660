// The first of some boxes that each ray meets, and none: -1. A ray enters a box where it has come past the nearer of
// the two planes of every axis, unless it has left another axis's by then. All of it is subtractions, products, minima
// and maxima, which round the same way in every configuration. Of boxes entered at once the first counts.
//
//   RAYS     of a thread, BLOCK / LANES apart
//   LANES    threads of a warp that share their rays, and have every LANES-th box
//   BOXES    global  read through the caches
//            shared  STAGE of them at a time, in shared memory, one after the other
//            planes  likewise, but all low x, then all low y, and so on
//   STAGE    boxes in shared memory together
//   UNROLL   boxes that a thread tries before the next look at the end of the loop
//   TEST     all     computes all three axes
//            leave   goes on to the next box once an axis rules this one out
//   BLOCKS   of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(ray_boxes)
#pragma tuner problem(rays : size = 262144, boxes : size = 512)
#pragma tuner problem_constraint(1 <= rays <= 33554432) problem_constraint(1 <= boxes <= 65536)

#pragma tuner param(BLOCK, 64, 128, 256, 512; default 128)
#pragma tuner param(RAYS, 1, 2, 4; default 1)
#pragma tuner param(LANES, 1, 2, 4, 8, 16, 32; default 1)
#pragma tuner param(BOXES, global, shared, planes; default global)
#pragma tuner param(STAGE, 0, 32, 64, 128, 256; default 0)
#pragma tuner param(UNROLL, 1, 2, 4; default 1)
#pragma tuner param(TEST, all, leave; default all)
#pragma tuner param(BLOCKS, 0, 4; default 0)

#pragma tuner constraint((BOXES == global) == (STAGE == 0))
#pragma tuner constraint(STAGE == 0 || UNROLL * LANES <= STAGE)
#pragma tuner constraint(TEST == all || UNROLL <= 2)
#pragma tuner constraint(BLOCKS * BLOCK <= 1024 && (BLOCKS == 0 || RAYS >= 2))
#pragma tuner constraint(RAYS * UNROLL <= 8)

#pragma tuner grid(ceil_div(rays, BLOCK // LANES * RAYS)) block(BLOCK)
#pragma tuner in(origin, float, 3 * rays, uniform(-2, 0)) in(inverse, float, 3 * rays, uniform(1, 3))
#pragma tuner in(low, float, 3 * boxes, uniform(0, 1)) in(extent, float, 3 * boxes, uniform(0.05, 0.3))
#pragma tuner out(first, int32, rays)
#pragma tuner scalar(rays, int32) scalar(boxes, int32)
#pragma tuner work(bytes = 28 * rays + 24 * boxes, flops = 24 * rays * boxes, type = float)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define BLOCK 128
#define RAYS 1
#define LANES 1
#define BOXES_global 0
#define BOXES_shared 1
#define BOXES_planes 2
#define BOXES BOXES_global
#define STAGE 0
#define UNROLL 1
#define TEST_all 0
#define TEST_leave 1
#define TEST TEST_all
#define BLOCKS 0
#endif

constexpr int unroll = UNROLL;  // nvcc expands no macros in `#pragma unroll`

struct Ray {
  float origin[3], inverse[3];
};

struct Box {
  float low[3], high[3];
};

struct First {
  float distance = 1e30f;
  int box = -1;

  // Unsigned, -1 is behind all boxes.
  __device__ __forceinline__ void add(float other_distance, int other) {
    if (other_distance < distance ||
        (other_distance == distance && static_cast<unsigned>(other) < static_cast<unsigned>(box))) {
      distance = other_distance, box = other;
    }
  }

  __device__ __forceinline__ void meet(const Ray& ray, const Box& candidate, int number) {
    float enter = 0, leave = distance;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const float a = (candidate.low[axis] - ray.origin[axis]) * ray.inverse[axis];
      const float b = (candidate.high[axis] - ray.origin[axis]) * ray.inverse[axis];
      enter = fmaxf(enter, fminf(a, b));
      leave = fminf(leave, fmaxf(a, b));
#if TEST == TEST_leave
      if (enter > leave) return;
#endif
    }
    if (enter <= leave) add(enter, number);
  }
};

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK)
#endif

extern "C" __global__ void BOUNDS ray_boxes(const float* __restrict__ origin, const float* __restrict__ inverse,
                                            const float* __restrict__ low, const float* __restrict__ extent,
                                            int* __restrict__ first, int rays, int boxes) {
  constexpr int groups = BLOCK / LANES;
  const int lane = threadIdx.x % LANES;
  const int first_ray = blockIdx.x * (groups * RAYS) + threadIdx.x / LANES;
#if STAGE > 0
  __shared__ float staged[6 * STAGE];
  constexpr int of_box = BOXES == BOXES_shared ? 6 : 1, of_plane = BOXES == BOXES_shared ? 1 : STAGE;
#endif

  Ray own[RAYS];
  First found[RAYS];
#pragma unroll
  for (int r = 0; r < RAYS; ++r) {
    const long long at = 3LL * min(first_ray + r * groups, rays - 1);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      own[r].origin[axis] = origin[at + axis];
      own[r].inverse[axis] = inverse[at + axis];
    }
  }

  const int step = STAGE > 0 ? STAGE : boxes;
  for (int begin = 0; begin < boxes; begin += step) {
    const int count = min(step, boxes - begin);
#if STAGE > 0
    __syncthreads();
    for (int i = threadIdx.x; i < 3 * count; i += BLOCK) {
      const float from = low[3 * begin + i];
      staged[i / 3 * of_box + i % 3 * of_plane] = from;
      staged[i / 3 * of_box + (i % 3 + 3) * of_plane] = from + extent[3 * begin + i];
    }
    __syncthreads();
#endif
#pragma unroll unroll
    for (int b = lane; b < count; b += LANES) {
      Box box;
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
#if STAGE > 0
        box.low[axis] = staged[b * of_box + axis * of_plane];
        box.high[axis] = staged[b * of_box + (axis + 3) * of_plane];
#else
        box.low[axis] = __ldg(low + 3 * b + axis);
        box.high[axis] = box.low[axis] + __ldg(extent + 3 * b + axis);
#endif
      }
#pragma unroll
      for (int r = 0; r < RAYS; ++r) found[r].meet(own[r], box, begin + b);
    }
  }

#pragma unroll
  for (int r = 0; r < RAYS; ++r) {
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
      const float other_distance = __shfl_xor_sync(0xffffffff, found[r].distance, distance);
      const int other = __shfl_xor_sync(0xffffffff, found[r].box, distance);
      found[r].add(other_distance, other);
    }
    const int to = first_ray + r * groups;
    if (lane == 0 && to < rays) first[to] = found[r].box;
  }
}
