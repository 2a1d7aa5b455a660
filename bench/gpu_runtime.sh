#!/usr/bin/env bash
# What the library costs an application, and what it gives one: every figure that needs a GPU. Ends with one table.
#   bench/gpu_runtime.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [SECTION...]
# Sections: startup request launch miss background crowd faults; all of them, in this order, if none is named.
# A section's output is also in OUTPUT_FOLDER/<section>.log. Ends with 1 if anything was wrong; never for being slow.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin
out=${2:-$bin}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- startup request launch miss background crowd faults
kernel=kernel_sources/prefetch.cu
problem=rows=528,row_length=65536
space=$(grep -v '^#' bench/comparison_space.where | tr '\n' ' ')
few='STRATEGY in (none, unrolled) and SIZE_KNOWN == 0 and MIN_BLOCKS in (0, 1)'

startup() { "$bin/bench_runtime_startup" 50 "$kernel" "$problem" "$few"; }
request() { "$bin/bench_runtime_request" "$kernel" "$problem" row_length "$few"; }
launch() { "$bin/bench_runtime_launch" bench/runtime/launch.cu; }
miss() { "$bin/bench_runtime_miss" 10 "$kernel" "$problem"; }
background() { "$bin/bench_runtime_background" 0.05 10 "$kernel" "$problem" "$space"; }
crowd() {
  "$bin/bench_runtime_crowd" 8 3 "$kernel" "$problem" "$space" full
  local status=$? processes
  for processes in 1 4 1 4; do
    "$bin/bench_runtime_crowd" "$processes" 0 "$kernel" "$problem" "" quick || status=1
  done
  return "$status"
}
faults() { "$bin/bench_runtime_faults" 1000 bench/runtime/faulty.cu; }

mkdir -p "$out"
status=0
for section in "$@"; do
  printf '\n== %s\n' "$section"
  "$section" 2>&1 | tee "$out/$section.log" || status=1
done
printf '\n| figure | measured | asked for | met |\n|---|---|---|---|\n'
for section in "$@"; do grep '^| ' "$out/$section.log"; done
exit "$status"
