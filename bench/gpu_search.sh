#!/usr/bin/env bash
# What 50 evaluations find on the GPU at hand, for ten seeds of two kernels, against their whole spaces.
#   bench/gpu_search.sh [BUILD_FOLDER] [BUDGET] [SEEDS]
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin
status=0
search() { # KERNEL PROBLEM
  printf '\n### %s\n\n' "$1"
  "$bin/bench_search_budget" "kernel_sources/$1.cu" "$2" "${budget}" "${seeds}" || status=1
}
budget=${2:-50} seeds=${3:-10}
search prefetch rows=528,row_length=65536
search sgemm ""
exit "$status"
