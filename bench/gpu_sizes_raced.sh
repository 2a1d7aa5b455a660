#!/usr/bin/env bash
# What rules lose on sizes that were left out, by times in which all configurations take turns on the GPU at hand: those
# of bench/search/matrices, raced in four processes whose buffers lie in other places of physical memory.
#   bench/gpu_sizes_raced.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [KERNEL...]
# Leaves OUTPUT_FOLDER/KERNEL.raced.tsv, and what each process measured beside it. Two minutes a kernel; nine for sgemm.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/release}")/bin
out=${2:-$bin/raced}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- sgemm softmax reduce transpose
mkdir -p "$out"
judged=()
for kernel in "$@"; do
  matrix=bench/search/matrices/${kernel}__H200.tsv
  raced=bench/search/matrices/${kernel}__H200.raced.tsv  # has the winners of other sessions, too
  rounds=()
  for mebibytes in 0 1000 3000 8000; do
    rounds+=("$out/$kernel.$mebibytes.tsv")
    "$bin/bench_search_sizes_raced" "kernel_sources/$kernel.cu" "$raced" $mebibytes >"${rounds[-1]}"
  done
  "$bin/bench_search_sizes" mean "${rounds[@]}" >"$out/$kernel.raced.tsv"
  judged+=("kernel_sources/$kernel.cu=$matrix=$out/$kernel.raced.tsv")
done
"$bin/bench_search_sizes" judge "${judged[@]}"
