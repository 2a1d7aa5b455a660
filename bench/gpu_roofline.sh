#!/usr/bin/env bash
# What the GPU at hand reaches, how near kernels come to it, and what `--stop-at 95%` spares: for each kernel a search of
# effort normal, then one that stops there, both from empty databases.
#   bench/gpu_roofline.sh [BUILD_FOLDER] [SHARE]
set -uo pipefail
cd "$(dirname "$0")/.."
tuner=${1:-build/release}/bin/tuner share=${2:-95%}
status=0
for kernel in reduce transpose wide_loads stencil3d softmax arithmetic; do
  printf '\n### %s\n\n' "$kernel"
  for rule in "--effort normal" "--stop-at $share"; do
    folder=$(mktemp -d)
    begin=$(date +%s.%N)
    # shellcheck disable=SC2086 # an option and its value
    report=$(TUNER_DB=$folder "$tuner" tune "kernel_sources/$kernel.cu" $rule 2>&1) || status=1
    printf '%s: %.1f s\n' "$rule" "$(echo "$(date +%s.%N) $begin" | awk '{ print $1 - $2 }')"
    printf '%s\n' "$report" | grep -E '^  (searched|stopped|time|achieved|roofline) |work is more|^tuner: ' | sed 's/^/    /'
    rm -rf "$folder"
  done
done
exit "$status"
