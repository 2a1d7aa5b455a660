#!/usr/bin/env bash
# What 50 evaluations find on the GPU at hand, for ten seeds of two kernels, against their whole spaces.
#   bench/gpu_search.sh [BUILD_FOLDER] [BUDGET] [SEEDS]
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin
status=0
budget=${2:-50} seeds=${3:-10}
search() { # KERNEL PROBLEM [OPTION...]
  printf '\n### %s %s\n\n' "$1" "${*:3}"
  "$bin/bench_search_budget" "kernel_sources/$1.cu" "$2" "$budget" "$seeds" "${@:3}" || status=1
}
# The 708 configurations that other tuners were compared on, then all that the kernel declares.
search prefetch rows=528,row_length=65536 --where "$(grep -v '^ *#' bench/comparison_space.where | tr '\n' ' ')"
search prefetch rows=528,row_length=65536
search sgemm ""
exit "$status"
