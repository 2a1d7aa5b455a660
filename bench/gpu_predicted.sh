#!/usr/bin/env bash
# What a first request costs that a rule over sizes answers, against one that the nearest size answers, on the GPU at
# hand: ten sizes of softmax are tuned together, then 60 others asked for, with the rule and without it, in turns.
#   bench/gpu_predicted.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [TURNS]
# Needs python3 with sqlite3, which takes the rule out of a copy of the database. A line for each turn (microseconds,
# medians over the sizes), and last the median over the turns.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/release}")/bin
out=${2:-$bin/predicted} turns=${3:-12}
rm -rf "$out"
mkdir -p "$out/rule"
out=$(realpath "$out")
file=kernel_sources/softmax.cu
for rows in 128 4096; do
  for columns in 100 512 1000 2048 4096; do printf 'rows=%s,columns=%s\n' $rows $columns; done
done >"$out/tuned"
for rows in 200 500 1024 3000 8192 16384; do
  for columns in 128 200 333 700 800 1500 1800 2500 3000 3500; do printf 'rows=%s,columns=%s\n' $rows $columns; done
done >"$out/asked"
TUNER_DB=$out/rule/tuner.db "$bin/tuner" tune $file --problems "$out/tuned" --effort quick >"$out/tune.log" 2>&1
cp -r "$out/rule" "$out/nearest"
python3 - "$out/nearest/tuner.db" <<'PYTHON'
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
rows = connection.execute("DELETE FROM decision_text WHERE kind = 'sizes'").rowcount
connection.commit()
assert rows > 0, "no rule was stored"
PYTHON

# first DATABASE RUNG: the median of its first requests.
first() {
  TUNER_DB=$out/$1/tuner.db "$bin/bench_runtime_many" $file "$out/asked" 5 >"$out/$1.log" 2>&1
  sed -n "s/^| $2: first request, median | *\([0-9.]*\).*/\1/p" "$out/$1.log"
}

first rule predicted >/dev/null
first nearest "near size" >/dev/null
for ((i = 0; i < turns; ++i)); do
  printf '%s %s\n' "$(first rule predicted)" "$(first nearest "near size")"
done | tee "$out/turns"
grep -h ': sizes' "$out/rule.log" "$out/nearest.log"
median() { cut -d' ' -f"$1" "$out/turns" | sort -n | awk '{ a[NR] = $1 } END { print (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'; }
printf '| first request, median of %s turns | predicted %s us | nearest %s us |\n' "$turns" "$(median 1)" "$(median 2)"
