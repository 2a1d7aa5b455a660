#!/usr/bin/env bash
# An application that asks for softmax at 200 sizes, on the GPU at hand: what it misses, how long working that off takes,
# what its kernels take before and after, and what keeping the list costs.
#   bench/gpu_wanted.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [TURNS]
# TURNS: pairs of programs, one with the list and one without it, either first. Ends with 1 unless all sizes were missed
# and noted before, and all are exact hits after.
set -uo pipefail
cd "$(dirname "$0")/.."
. bench/median.sh
bin=$(realpath "${1:-build/release}")/bin
out=${2:-$bin/wanted} turns=${3:-12}
mkdir -p "$out"
out=$(realpath "$out")
export TUNER_DB=$out/database
rm -rf "$TUNER_DB"
file=kernel_sources/softmax.cu sizes=200
for rows in 64 128 200 512 700 1024 2048 3000 4096 8192; do
  for i in $(seq 0 19); do printf 'rows=%d,columns=%d\n' "$rows" $((100 + i * 451 + rows % 7)); done
done >"$out/problems"

# application NAME LIST: the program, with the wanted list (1) or without it (0).
application() { TUNER_WANTED=$2 "$bin/bench_runtime_many" $file "$out/problems" 5 >"$out/$1" 2>&1; }
figure() { sed -n "s/^| $2 *| *\([-0-9.]*\).*/\1/p" "$out/$1"; } # NAME FIGURE

for run in 1 2 3; do application "before.$run" 1; done
"$bin/tuner" wanted --json >"$out/wanted.json"
noted=$(grep -c '"problem":' "$out/wanted.json")

# Every one with the list has all to note. The first pair warms up.
for ((turn = 0; turn <= turns; ++turn)); do
  "$bin/tuner" wanted --forget >"$out/forgotten"
  for list in $((turn % 2)) $((1 - turn % 2)); do application "list.$list.$turn" "$list"; done
  [ "$turn" -eq 0 ] || for cost in 'first request' launch; do
    printf '%s|%s|%s\n' "$cost" "$(figure "list.1.$turn" "baseline: $cost, median")" \
      "$(figure "list.0.$turn" "baseline: $cost, median")"
  done
done >"$out/turns"

begin=$(date +%s.%N)
"$bin/tuner" tune --wanted >"$out/tune" 2>&1
seconds=$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.0f", b - a }')
for run in 1 2 3; do application "after.$run" 1; done

cost() { # NAME
  local ratios
  ratios=$(awk -F'|' -v name="$1" '$1 == name { printf "%.3f\n", $2 / $3 }' "$out/turns" | sort -n)
  printf '%s (%s to %s)' "$(median <<<"$ratios")" "$(head -1 <<<"$ratios")" "$(tail -1 <<<"$ratios")"
}
kernels='one launch of every size, kernels together'
exact_before=$(figure before.3 'exact: sizes') exact=$(figure after.3 'exact: sizes')
printf '| what | before | after |\n|---|---|---|\n'
printf '| exact hits of %d sizes | %s | %s |\n' "$sizes" "${exact_before:-0}" "${exact:-0}"
printf '| first request, median of the third run | %s us | %s us |\n' "$(figure before.3 'baseline: first request, median')" \
  "$(figure after.3 'exact: first request, median')"
printf '| %s | %s ms | %s ms |\n' "$kernels" "$(figure before.3 "$kernels")" "$(figure after.3 "$kernels")"
printf '\n%d misses noted; worked off in %s s. With the list to without, median of %d pairs: first request %s, launch %s\n' \
  "$noted" "$seconds" "$turns" "$(cost 'first request')" "$(cost launch)"
[ "$noted" -eq "$sizes" ] && [ "${exact%.*}" = "$sizes" ]
