#!/usr/bin/env bash
# Every benchmark that needs a GPU; prints markdown for docs/results/.   bench/gpu_bench.sh [BUILD_FOLDER] [OUTPUT_FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin
out=${2:-$bin}
printf '## Exhaustive tuning of the 708 configurations of `comparison_space.where`\n\n'
"$bin/bench_comparison" 3 "$bin/tuner" . "$out/prefetch.csv"
