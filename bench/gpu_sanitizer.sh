#!/usr/bin/env bash
# compute-sanitizer over a session that checks, times and races the baseline of prefetch.cu and a winner.
#   bench/gpu_sanitizer.sh [BUILD_FOLDER] [LOG_FOLDER] [WINNER_EXPRESSION]
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin
logs=${2:-$bin}
winner=${3:-BLOCKDIMX == 1024 and MIN_BLOCKS == 1 and STRATEGY == unrolled and UNROLL == 4 and SIZE_KNOWN == 0}
status=0
for tool in memcheck racecheck initcheck; do
  folder=$(mktemp -d)
  TUNER_DB=$folder compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 99 \
    "$bin/tuner" tune kernel_sources/prefetch.cu --problem rows=40,row_length=3001 --launch-timeout 60s --workers 2 \
    --where "$winner" >"$logs/$tool.log" 2>&1 || status=1
  printf '%s: %s\n' "$tool" "$(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$logs/$tool.log" | sort | uniq -c | sed 's/=*//' | tr -s ' \n' ' ')"
  grep -E '^winner|^Winner' "$logs/$tool.log" | head -1
  rm -rf "$folder"
done
exit "$status"
