#!/usr/bin/env bash
# What `--effort normal` finds on the GPU at hand against the whole space, and in what part of the time: the kernels of
# kernel_sources and those of bench/search/strangers, three seeds each. Prints a markdown table and what it comes to.
# With $TUNER_SPACES_DIR the complete searches leave their recordings there, for bench_search_effort.
#   bench/gpu_effort.sh [BUILD_FOLDER] [EFFORT] [SEEDS] [KERNEL...]
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release}/bin effort=${2:-normal} seeds=${3:-3}
wanted=("${@:4}")
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
printf '| kernel | configurations | full s | tried | s | s / full | speed / full | worst |\n'
printf '|---|---|---|---|---|---|---|---|\n'
for file in kernel_sources/*.cu bench/search/strangers/*.cu; do
  for kernel in $("$bin/tuner" describe "$file" --json | grep -o '"kernel": *"[^"]*"' | sed 's/.*: *"//; s/"//'); do
    [[ ${#wanted[@]} -eq 0 || " ${wanted[*]} " == *" $kernel "* ]] || continue
    "$bin/bench_search_budget" "$file" "" "$effort" "$seeds" --kernel "$kernel" | tee -a "$lines"
  done
done
awk -F'|' '{
  n = split($8, share, ","); for (i = 1; i <= n; ++i) { ++runs; if (share[i] >= 0.98) ++near; if (share[i] < 0.9) ++far }
  if ($4 > 15) { sum += log($7); ++large }
} END {
  printf "\n%d of %d runs within 2 %% of the complete search (%.1f %%), %d more than 10 %% slower; ", near, runs,
         100 * near / runs, far
  printf "geometric mean of the time ratio over %d kernels whose complete search takes more than 15 s: %.3f\n", large,
         large ? exp(sum / large) : 0
}' "$lines"
