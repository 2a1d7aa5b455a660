#!/usr/bin/env bash
# Launches that are hard to store, of bench/capture_cases.cu, on a GPU: each is stored, or refused with a sentence, and
# the program computes what it should. Prints a markdown table.
#   bench/capture_cases.sh [BUILD_FOLDER]
# Ends with 1 if a program went wrong or took half a minute. Needs nvcc.
set -uo pipefail
cd "$(dirname "$0")/.."
tuner=${1:-build/release}/bin/tuner
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
nvcc -O2 -std=c++17 -arch=native -o "$folder/cases" bench/capture_cases.cu -lcuda || exit 1

bad=0
printf '| way | kernel | exit code | launches stored | MB | held up, ms | said |\n|---|---|---|---|---|---|---|\n'
for way in plain large many packed structured per_thread waiting waits beside_capture threads in_graph managed managed_inside pooled host_memory; do
  kernel=adds
  [ $way != structured ] || kernel=adds_pair
  [ $way != managed_inside ] || kernel=adds_at
  [ $way != waits ] || kernel=waits
  which=()
  [ $way != waits ] || which=(--launches 2)
  timeout 30 "$tuner" capture --json --no-replay --kernel $kernel "${which[@]}" -o "$folder/$way" -- "$folder/cases" "${way/waits/waiting}" \
    > "$folder/$way.json" 2> "$folder/$way.log"
  code=$?
  said=$(grep '^tuner: ' "$folder/$way.log" | sed 's/^tuner: //; s/^warning: //' | sort -u | tr '\n' ' ')
  runs=2
  [ $way != in_graph ] || runs=1  # there is nothing to store
  right=$(grep -c '^right' "$folder/$way.log")
  if [ "$right" != $runs ] || { [ ! -d "$folder/$way" ] && [ -z "$said" ]; }; then
    bad=1
    said="WRONG: $right of $runs runs were right. $said"
  fi
  python3 - "$folder/$way.json" "$way" $kernel $code "$said" <<'P'
import json, sys
file, way, kernel, code, said = sys.argv[1:6]
try:
    stored = json.load(open(file)).get("stored")
except ValueError:
    stored = None
cells = [f'{stored["launches"]} of {stored["wanted"]}', f'{stored["memory_bytes"] / 1e6:.1f}',
         f'{stored["held_ms"]:.1f}'] if stored else ["none", "", ""]
print("| " + " | ".join([way, kernel, code, *cells, said]) + " |")
P
done
printf '\nMany launches, not watched, watched, and watched for one that does not come:\n'
"$folder/cases" many
"$tuner" capture --json -- "$folder/cases" many 2>&1 > /dev/null | grep launch
"$tuner" capture --json --no-replay --kernel adds --launches 1000000 -o "$folder/never" -- "$folder/cases" many 2>&1 > /dev/null | grep 'us a launch'
exit $bad
