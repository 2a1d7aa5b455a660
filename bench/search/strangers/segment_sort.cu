// Sorts the keys of each of many short lists, a block a list.
//
//   METHOD    bitonic  a network in shared memory: next_pow2(LENGTH) keys, compared and exchanged in pairs
//             radix    CUB's sort by a few bits at a time, the keys in registers
//             merge    CUB's sort of a thread's keys, and merges of runs of twice the length after that
//   RADIX     2^bits that are sorted by at a time: more of them are fewer passes, of more counters
//   COUNTERS  of the radix sort: read `twice` from shared memory, or `kept` in registers
//   SCAN      how the radix sort adds up the counters of a block's threads
//   STORE     blocked  a thread has neighbouring keys in the end, and stores them
//             striped  they are exchanged, so that neighbouring threads store side by side. Loads are that in any case
//   SYNC      the network's barrier between steps in which a warp meets only its own keys: the block's or the warp's
//   PAD       a word behind every 32 keys of the network, so that keys 32 apart are in different banks
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>

#pragma tuner kernel(segment_sort)
#pragma tuner problem(segments: size = 8192, LENGTH: constant = 2000)
#pragma tuner problem_constraint(1 <= segments <= 1048576) problem_constraint(2 <= LENGTH <= 4096)

#pragma tuner param(METHOD, bitonic, radix, merge; default bitonic)
#pragma tuner param(BLOCK, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 1024; default 256)
#pragma tuner param(RADIX, 8, 16, 32, 64; default 8)
#pragma tuner param(COUNTERS, twice, kept; default twice)
#pragma tuner param(SCAN, warps, raking; default warps)
#pragma tuner param(STORE, blocked, striped; default striped)
#pragma tuner param(SYNC, block, warp; default block)
#pragma tuner param(PAD, 0, 1; default 0)

// The network and the merges need a power of two of threads; the radix sort has two counters in each word.
#pragma tuner define(ITEMS = ceil_div(LENGTH, BLOCK))
#pragma tuner define(NETWORK = next_pow2(LENGTH))
#pragma tuner define(RADIX_BITS = int(log2(RADIX)))
#pragma tuner constraint(METHOD == radix ? 2 * BLOCK * RADIX <= 40960 && ITEMS <= 32 : is_pow2(BLOCK))
#pragma tuner constraint(METHOD == radix || RADIX == 8 && COUNTERS == twice && SCAN == warps)
#pragma tuner constraint(METHOD == bitonic ? STORE == striped && 2 * BLOCK <= NETWORK : SYNC == block && PAD == 0)

#pragma tuner grid(segments) block(BLOCK)
#pragma tuner in(input, uint32, segments * LENGTH, index(4294967296)) out(output, uint32, segments * LENGTH)
#pragma tuner work(bytes = 8 * segments * LENGTH)
#pragma tuner reference(plain_segment_sort; block(256))

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define LENGTH 2000
#define METHOD_bitonic 0
#define METHOD_radix 1
#define METHOD_merge 2
#define METHOD METHOD_bitonic
#define BLOCK 256
#define COUNTERS_twice 0
#define COUNTERS_kept 1
#define COUNTERS COUNTERS_twice
#define SCAN_warps 0
#define SCAN_raking 1
#define SCAN SCAN_warps
#define STORE_blocked 0
#define STORE_striped 1
#define STORE STORE_striped
#define SYNC_block 0
#define SYNC_warp 1
#define SYNC SYNC_block
#define PAD 0
#define ITEMS 8
#define NETWORK 2048
#define RADIX_BITS 3
#endif

constexpr unsigned last = 0xffffffffu;  // what lists are filled up with

// Each key goes behind all that are smaller, and behind those of its own value that are in front of it.
extern "C" __global__ void plain_segment_sort(const unsigned* input, unsigned* output) {
  const long long first = static_cast<long long>(blockIdx.x) * LENGTH;
  for (int i = threadIdx.x; i < LENGTH; i += blockDim.x) {
    const unsigned key = input[first + i];
    int rank = 0;
    for (int other = 0; other < LENGTH; ++other) {
      const unsigned against = input[first + other];
      rank += against < key || (against == key && other < i);
    }
    output[first + rank] = key;
  }
}

#if METHOD == METHOD_bitonic

// A thread's pairs are those of its warp, 32 apart, and a warp's are neighbours: where partners are no further apart
// than a warp has pairs, all of its keys are its own.
__device__ __forceinline__ void sort(const unsigned* input, unsigned* output) {
  constexpr int pairs_of_warp = NETWORK / 2 / (BLOCK / 32);
  __shared__ unsigned key[NETWORK + PAD * NETWORK / 32];
  const auto place = [](int i) { return PAD ? i + i / 32 : i; };
  for (int i = threadIdx.x; i < NETWORK; i += BLOCK) key[place(i)] = i < LENGTH ? input[i] : last;
  __syncthreads();

  const int first = threadIdx.x / 32 * pairs_of_warp + threadIdx.x % 32;
#pragma unroll 1
  for (int run = 2; run <= NETWORK; run *= 2) {
#pragma unroll 1
    for (int distance = run / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (int p = 0; p < pairs_of_warp; p += 32) {
        const int pair = first + p;
        const int low = pair / distance * (2 * distance) + pair % distance, high = low + distance;
        const unsigned a = key[place(low)], b = key[place(high)];
        if ((a > b) == ((low & run) == 0)) {
          key[place(low)] = b;
          key[place(high)] = a;
        }
      }
      const int next_distance = distance > 1 ? distance / 2 : run;
      if (SYNC == SYNC_block || next_distance > pairs_of_warp || distance > pairs_of_warp) {
        __syncthreads();
      } else {
        __syncwarp();
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < LENGTH; i += BLOCK) output[i] = key[place(i)];
}

#else

struct Less {
  __device__ bool operator()(unsigned a, unsigned b) const { return a < b; }
};

__device__ __forceinline__ void sort(const unsigned* input, unsigned* output) {
  // In which order they come does not matter to who sorts them.
  unsigned key[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * BLOCK + threadIdx.x;
    key[i] = at < LENGTH ? input[at] : last;
  }
#if METHOD == METHOD_radix
  constexpr auto scan = SCAN == SCAN_raking ? cub::BLOCK_SCAN_RAKING : cub::BLOCK_SCAN_WARP_SCANS;
  using RadixSort =
      cub::BlockRadixSort<unsigned, BLOCK, ITEMS, cub::NullType, RADIX_BITS, COUNTERS == COUNTERS_kept, scan>;
  __shared__ typename RadixSort::TempStorage storage;
#if STORE == STORE_striped
  RadixSort(storage).SortBlockedToStriped(key);
#else
  RadixSort(storage).Sort(key);
#endif
#else
  using Exchange = cub::BlockExchange<unsigned, BLOCK, ITEMS>;
  using MergeSort = cub::BlockMergeSort<unsigned, BLOCK, ITEMS>;
  __shared__ union {
    typename MergeSort::TempStorage sort;
    typename Exchange::TempStorage exchange;
  } storage;
  MergeSort(storage.sort).Sort(key, Less());
#if STORE == STORE_striped
  __syncthreads();
  Exchange(storage.exchange).BlockedToStriped(key, key);
#endif
#endif
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = STORE == STORE_striped ? i * BLOCK + threadIdx.x : threadIdx.x * ITEMS + i;
    if (at < LENGTH) output[at] = key[i];
  }
}

#endif

extern "C" __global__ void __launch_bounds__(BLOCK) segment_sort(const unsigned* input, unsigned* output) {
  const long long first = static_cast<long long>(blockIdx.x) * LENGTH;
  sort(input + first, output + first);
}
