#!/usr/bin/env bash
# What a first request costs that a rule over sizes answers, against one that the nearest size answers, on the GPU at
# hand: ten sizes of softmax are tuned together, then others asked for, near a tuned one or further than a factor of
# four from all of them, where the rule alone can answer.
#   bench/gpu_predicted.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [TURNS]
# A line for each turn, a program of its own (microseconds, medians over the sizes); last the medians over the turns.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/release}")/bin
out=${2:-$bin/predicted} turns=${3:-12}
rm -rf "$out"
mkdir -p "$out"
out=$(realpath "$out")
file=kernel_sources/softmax.cu
export TUNER_DB=$out/tuner.db
for rows in 128 4096; do
  for columns in 100 512 1000 2048 4096; do printf 'rows=%s,columns=%s\n' $rows $columns; done
done >"$out/tuned"
# In turns, so that what a program does only once falls to neither.
for columns in 128 200 333 700 800 1500 1800 2500 3000 3500; do
  for rows in 200:600 300:700 1500:900; do
    printf 'rows=%s,columns=%s\nrows=%s,columns=%s\n' ${rows%:*} $columns ${rows#*:} $columns
  done
done >"$out/asked"
"$bin/tuner" tune $file --problems "$out/tuned" --effort quick >"$out/tune.log" 2>&1

# median_of RUNG: of its first requests in the last turn.
median_of() { sed -n "s/^| $1: first request, median | *\([0-9.]*\).*/\1/p" "$out/turn.log"; }

for ((i = -1; i < turns; ++i)); do
  "$bin/bench_runtime_many" $file "$out/asked" 5 >"$out/turn.log" 2>&1
  [ $i -lt 0 ] || printf '%s %s\n' "$(median_of predicted)" "$(median_of 'near size')"
done | tee "$out/turns"
grep ': sizes' "$out/turn.log"
median() { cut -d' ' -f"$1" "$out/turns" | sort -n | awk '{ a[NR] = $1 } END { print (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'; }
printf '| first request, medians of %s turns | predicted %s us | nearest %s us |\n' "$turns" "$(median 1)" "$(median 2)"
