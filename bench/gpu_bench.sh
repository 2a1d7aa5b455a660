#!/usr/bin/env bash
# Every benchmark that needs a GPU; prints markdown for docs/results/.
#   bench/gpu_bench.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [SECTION...]     sections: all of those below, in this order
# Beside it: gpu_kernels.sh, gpu_runtime.sh, gpu_search.sh, gpu_effort.sh, gpu_explain.sh, gpu_compare.sh, gpu_sizes.sh,
# gpu_sizes_raced.sh, gpu_wanted.sh, gpu_predicted.sh, gpu_roofline.sh, gpu_rounding.sh; gpu_devices.sh (several
# GPUs), gpu_fleet.sh (a PostgreSQL server) and gpu_archive.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin
out=${2:-$bin}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- comparison compile repeat faults resume short long
kernel=kernel_sources/prefetch.cu
problem=rows=528,row_length=65536
space=$(grep -v '^#' bench/comparison_space.where | tr '\n' ' ')
few='MIN_BLOCKS == 0 and PADDING == 0 and PDIST in (1, 4, 8) and BLOCKDIMX >= 256'
many=$(grep -v '^#' bench/short_kernel_space.where | tr '\n' ' ')

comparison() {
  printf '\n## Exhaustive tuning of the 708 configurations of `comparison_space.where`\n\n'
  "$bin/bench_comparison" 5 . "$out/prefetch.csv"
}
compile() {
  printf '\n## Compiling alone, by number of workers\n\n'
  "$bin/bench_compile_throughput"
}
repeat() {
  printf '\n## Twenty sessions, and 1,000 interleaved samples of their winners\n\n'
  "$bin/bench_winners" 20 1000 120 winners - "$kernel" "$problem" "$space"
}
faults() {
  printf '\n## Candidates that end badly\n\n'
  "$bin/bench_faults" tests/gpu/kernels/every_fault.cu n=16000000
}
resume() {
  printf '\n## Killed and started again\n\n'
  "$bin/bench_resume" "$kernel" "$problem" "$space"
}
short() {
  printf '\n## A kernel of some microseconds: winners against 1,000 interleaved samples of every configuration\n\n'
  "$bin/bench_winners" 3 1000 150 all "$out/short.blocks" "$kernel" rows=528,row_length=1024 "$many"
}
long() {
  printf '\n## A kernel of five milliseconds: winners against 1,000 interleaved samples of every configuration\n\n'
  "$bin/bench_winners" 3 1000 500 all "$out/long.blocks" "$kernel" rows=12672,row_length=65536 "$space" "$few"
}

for section in "$@"; do "$section"; done
