#!/usr/bin/env bash
# How often `tuner compare` is right: configurations with themselves, and differences of known size, each in a process
# of its own. Prints a markdown table.   bench/gpu_compare.sh [BUILD_FOLDER] [SAME] [DIFFERENT]
# SAME: how often each of two kernels meets itself; DIFFERENT: how often each known difference is looked for.
set -uo pipefail
cd "$(dirname "$0")/.."
tuner=${1:-build/release}/bin/tuner same=${2:-100} different=${3:-40}
steps=bench/comparison/steps.cu prefetch="kernel_sources/prefetch.cu"
problem=rows=528,row_length=65536

# many TITLE COUNT FIRST SECOND OPTIONS...
many() {
  local title=$1 count=$2 i begin end
  shift 2
  for ((i = 0; i < count; ++i)); do
    begin=$(date +%s%N)
    "$tuner" compare "$@" --seed "$i" --json 2>/dev/null | sed -n 's/.*"verdict": "\(.*\)",/\1/p; s/.*"ratio": \(.*\),/ratio \1/p; s/.*"blocks": \(.*\),/blocks \1/p' | tr '\n' ' '
    end=$(date +%s%N)
    echo "seconds $(((end - begin) / 1000000))"
  done | awk -v title="$title" '
    { ++n; ++count[$1]; ratio = $3; blocks += $5; if (n == 1 || ratio < low) low = ratio; if (ratio > high) high = ratio
      s = $NF / 1000; sum += s; if (s > most) most = s }
    END { printf "| %s | %d | %d | %d | %d | %d | %.4f to %.4f | %.0f | %.2f | %.2f |\n", title, n, count["SAME"],
                 count["FASTER"], count["SLOWER"], count["UNDECIDED"], low, high, blocks / n, sum / n, most }'
}

printf '| compared | times | SAME | FASTER | SLOWER | UNDECIDED | ratios | pairs | mean s | most s |\n'
printf '|---|---|---|---|---|---|---|---|---|---|\n'
many 'steps with itself' "$same" "$steps@STEPS=80000" '@STEPS=80000'
many 'prefetch with itself' "$same" "$prefetch@baseline" '@baseline' --problem "$problem"
many 'steps, 0.5 % more' "$different" "$steps@STEPS=80000" '@STEPS=80400'
many 'steps, 2 % more' "$different" "$steps@STEPS=80000" '@STEPS=81600'
many 'steps, 2 % less' "$different" "$steps@STEPS=81600" '@STEPS=80000'
