#!/usr/bin/env bash
# What a first request costs that a rule over sizes answers, against one that the nearest size answers, on the GPU at
# hand: ten sizes of softmax are tuned together, and again one by one, of which no rule is made; then forty others,
# all near a tuned one, are asked for from either database, in turns.
#   bench/gpu_predicted.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [TURNS]
# A line for each turn, two programs of their own (microseconds, medians over the sizes); last the medians over the
# turns. Ends with 1 if the rule, or the nearest size, answered none.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/median.sh
bin=$(realpath "${1:-build/release}")/bin
out=${2:-$bin/predicted} turns=${3:-12}
rm -rf "$out"
mkdir -p "$out"
out=$(realpath "$out")
file=kernel_sources/softmax.cu
for rows in 128 4096; do
  for columns in 100 512 1000 2048 4096; do printf 'rows=%s,columns=%s\n' $rows $columns; done
done >"$out/tuned"
for columns in 128 200 333 700 800 1500 1800 2500 3000 3500; do
  for rows in 200 300 1500 2000; do printf 'rows=%s,columns=%s\n' $rows $columns; done
done >"$out/asked"
TUNER_DB=$out/together.db "$bin/tuner" tune $file --problems "$out/tuned" --effort quick >"$out/tune.log" 2>&1
while read -r problem; do
  TUNER_DB=$out/alone.db "$bin/tuner" tune $file --problem "$problem" --effort quick </dev/null >>"$out/tune.log" 2>&1
done <"$out/tuned"

# first_request DATABASE RUNG: the median of its first requests, in a program of its own.
first_request() {
  TUNER_DB=$out/$1.db "$bin/bench_runtime_many" $file "$out/asked" 5 >"$out/$1.log" 2>&1
  sed -n "s/^| $2: first request, median | *\([0-9.]*\).*/\1/p" "$out/$1.log"
}

for ((i = -1; i < turns; ++i)); do  # the first warms up
  predicted=$(first_request together predicted) near=$(first_request alone 'near size')
  [ "$predicted" ] && [ "$near" ] || exit 1
  [ $i -lt 0 ] || printf '%s %s\n' "$predicted" "$near"
done | tee "$out/turns"
grep -h ': sizes' "$out/together.log" "$out/alone.log"
printf '| first request, medians of %s turns | predicted %s us | nearest %s us |\n' "$turns" \
  "$(cut -d' ' -f1 "$out/turns" | median)" "$(cut -d' ' -f2 "$out/turns" | median)"
