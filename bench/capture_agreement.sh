#!/usr/bin/env bash
# Whether `tuner capture` says what is so and leaves a program alone, on a GPU, by a witness that knows nothing of CUPTI
# (bench/capture_agreement.cpp). Prints a line of a table for each program.
#   bench/capture_agreement.sh times FOLDER [BUILD_FOLDER]    shares of the GPU time, beside those by events
#   bench/capture_agreement.sh copies FOLDER [BUILD_FOLDER]   what copies brought to the host: alone, profiled, stored
# FOLDER has a folder for each program, built with `-cudart shared`, in which `make run` runs it. TUNER_PROGRAMS_KEEP=DIR
# keeps what was written down there. TUNER_PROGRAMS_LIMIT is how many seconds a run may take, 60 if it is not set.
# TUNER_PROGRAMS_JOBS programs run at a time, 1 if it is not set; times are worth something only then.
set -uo pipefail
what=${1:?usage: bench/capture_agreement.sh times|copies FOLDER [BUILD_FOLDER]}
shift
. "$(dirname "$0")/programs_folder.sh"
nvcc -O2 -std=c++17 -shared -Xcompiler -fPIC -Xlinker -z,lazy -cudart none -o "$work/witness.so" "$(dirname "$0")/capture_agreement.cpp" || exit 1

# Shares of kernels that both saw, in points; the runtime's own fills and copies launch without events.
shares_of='
import json, sys
name, events, profile = sys.argv[1:4]
try:
    kernels = json.load(open(profile))["kernels"]
    by_events = {}  # a program that runs twice has two lines for a kernel
    for line in open(events):
        kernel, launches, ns = line.split("\t")
        before = by_events.get(kernel, (0, 0.0))
        by_events[kernel] = (before[0] + int(launches), before[1] + float(ns))
except (OSError, ValueError) as trouble:
    print(f"| {name} | | | | nothing to compare: {trouble} |")
    raise SystemExit
both = [kernel for kernel in kernels if kernel["mangled"] in by_events]
ns = {kernel["mangled"]: kernel["mean_us"] * 1e3 * kernel["launches"] for kernel in both}
other = {key: by_events[key][1] for key in ns}
if not ns:
    print(f"| {name} | 0 | | | |")
    raise SystemExit
points = {key: 100 * (ns[key] / sum(ns.values()) - other[key] / sum(other.values())) for key in ns}
worst = max(points, key=lambda key: abs(points[key]))
missing = len(by_events) - len(both)
amiss = [f"{missing} kernels are missing"] * (missing > 0)
amiss += [f"""{kernel["mangled"][:40]}: {kernel["launches"]} launches, {by_events[kernel["mangled"]][0]} seen by events"""
          for kernel in both if kernel["launches"] != by_events[kernel["mangled"]][0]]
print(f"""| {name} | {len(both)} | {abs(points[worst]):.2f} | {sum(other.values()) / sum(ns.values()):.3f} | {"; ".join(amiss)} |""")
'
# run VARIABLE FILE COMMAND: with the witness in the program that $command starts
run() {
  local -n by=$3
  timeout "$((3 * limit))" "${by[@]}" env LD_PRELOAD="$work/witness.so" "$1=$2" timeout "$limit" sh -c "$command"
}
# agrees FILE OTHER: as far as both came
agrees() {
  local lines other
  lines=$(wc -l < "$1") && other=$(wc -l < "$2") || return 0
  [ "$lines" -le "$other" ] || lines=$other
  [ "$lines" -gt 0 ] || { echo nothing; return; }
  cmp -s <(head -n "$lines" "$1") <(head -n "$lines" "$2") && echo "same $lines" || echo DIFFERENT
}
witness_of() {
  local name command kernel alone=() profiled stored
  name=$(basename "$1")
  command=$(command_of "$1")
  [ -n "$command" ] && cd "$1" || return 0
  profiled=("$tuner" capture --json --)
  if [ "$what" = times ]; then
    rm -f "$work/$name.events"  # to which the witness adds
    run AGREEMENT_TIMES "$work/$name.events" alone > /dev/null 2>&1 < /dev/null
    timeout "$limit" "${profiled[@]}" sh -c "$command" > "$work/$name.profile" 2> /dev/null < /dev/null
    python3 -c "$shares_of" "$name" "$work/$name.events" "$work/$name.profile"
    return 0
  fi
  run AGREEMENT_COPIES "$work/$name.first" alone > /dev/null 2>&1 < /dev/null
  run AGREEMENT_COPIES "$work/$name.second" alone > /dev/null 2>&1 < /dev/null
  run AGREEMENT_COPIES "$work/$name.profiled" profiled > "$work/$name.profile" 2> /dev/null < /dev/null
  kernel=$(python3 -c "$hottest_of" "$work/$name.profile")
  [ -n "$kernel" ] || return 0
  stored=("$tuner" capture --json --no-replay --kernel "$kernel" -o "$work/$name.capture" --)
  run AGREEMENT_COPIES "$work/$name.stored" stored > "$work/$name.json" 2> /dev/null < /dev/null
  printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$(wc -l < "$work/$name.first")" \
    "$(agrees "$work/$name.first" "$work/$name.second")" "$(agrees "$work/$name.first" "$work/$name.profiled")" \
    "$(agrees "$work/$name.first" "$work/$name.stored")" "$(grep -o '"launches": [0-9]*, *$\|"held_ms": [0-9.]*' "$work/$name.json" | tail -1)"
  rm -rf "$work/$name.capture"
}
export -f witness_of run agrees command_of
export what tuner work limit shares_of hottest_of
if [ "$what" = times ]; then
  echo '| program | kernels | largest difference, points of share | time by events over ours | amiss |'
  echo '|---|---|---|---|---|'
else
  echo '| program | copies | alone again | profiled | stored | held up |'
  echo '|---|---|---|---|---|---|'
fi
printf '%s\0' "$folder"/*/ | xargs -0 -P "${TUNER_PROGRAMS_JOBS:-1}" -I{} bash -c 'witness_of {}'
