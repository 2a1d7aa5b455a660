#!/usr/bin/env bash
# What the GPU at hand reaches, how near kernels come to it, and what `--stop-at 95%` spares: for each kernel a search of
# effort normal, then one that stops there, both from empty databases. Where a kernel's data is too small for the L2
# cache of this GPU the second is refused, which is a row and no failure.
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
    report=$(TUNER_DB=$folder "$tuner" tune "kernel_sources/$kernel.cu" $rule 2>&1)
    code=$?
    rm -rf "$folder"
    refusal=$(printf '%s\n' "$report" | grep -E '^tuner: --stop-at .* less than twice the L2 cache')
    if [[ $code -eq 2 && $rule == --stop-at* && -n $refusal ]]; then
      printf '%s: refused: %s\n' "$rule" "${refusal#tuner: }"
      continue
    fi
    [[ $code -eq 0 ]] || status=1
    printf '%s: %.1f s\n' "$rule" "$(echo "$(date +%s.%N) $begin" | awk '{ print $1 - $2 }')"
    printf '%s\n' "$report" | grep -E '^  (searched|stopped|time|achieved|roofline) |work is more|^tuner: ' | sed 's/^/    /'
  done
done
exit "$status"
