#!/usr/bin/env bash
# Whether `tuner replay` is right about small kernels of which it is known what they read and write, of
# bench/replay_cases.cu. Each is launched twice on the same data, and the second launch is stored and replayed on a GPU.
# Prints a markdown table.
#   bench/replay_cases.sh [BUILD_FOLDER [NAME...]]
# NAME is a kernel; all if there is none. TUNER_PROGRAMS_KEEP, TUNER_PROGRAMS_LIMIT and TUNER_PROGRAMS_JOBS are as in
# bench/replay_kernels.sh. TUNER_REPLAY_CASES is the program, compiled; otherwise nvcc is needed. The GPU must have
# clusters (9.0). Ends with 1 if anything is wrong.
set -uo pipefail
set -- "$(dirname "$0")" "$@"
. "$1/programs_folder.sh"
names=("${@:3}")

cases=${TUNER_REPLAY_CASES:-$work/cases}
[ -n "${TUNER_REPLAY_CASES:-}" ] || nvcc -O2 -std=c++17 -arch=native -o "$cases" "$folder/replay_cases.cu" || exit 1
cases=$(realpath "$cases")

row_of='
import collections, json, re, sys
name, verdict, expected, file, messages, seconds = sys.argv[1:7]
def label_of(memory):
    if memory["name"]:
        return memory["name"]
    words = {(each["parameter"], each["inside"]) for each in memory["arrays"]}
    return "/".join(f"{parameter}+{inside}" if inside else str(parameter) for parameter, inside in sorted(words)) or "inner"
def written_of(memory):
    if memory["use"] not in ("out", "inout"):
        return None
    if not memory["written"]:
        return "?"
    written = memory["written"]["output_bytes"] + memory["written"]["inout_bytes"]
    return "all" if written == memory["bytes"] else str(written)
def said(parts, count):
    return " ".join(part for part in parts if part) + (f" x {count}" if count > 1 else "")
why = [line.strip().removeprefix("tuner: ")[:300] for line in open(messages, errors="replace")]
try:
    launches = json.load(open(file))["launches"]
except (OSError, ValueError, KeyError):
    launches = []
right, seen = False, "nothing"
if len(launches) == 1:
    launch = launches[0]
    wanted = []
    for item in expected.split(", "):
        label, use, written, count = re.fullmatch(r"(\S+) (\w+)(?: (\w+))??(?: x (\d+))?", item).groups()
        wanted += [(label, use, written)] * int(count or 1)
    # Variables belong to the module, so those of other kernels are here too.
    memories = [each for each in launch["memory"] if each["use"] != "not reached" or each["missing"]]
    memories = [each for each in memories if not each["name"] or each["use"] != "in"]
    left = [(label_of(each), each["use"], written_of(each)) for each in memories]
    right = launch["verdict"] == verdict and len(left) == len(wanted)
    for label, use, written in wanted:
        fits = [each for each in left if each[0] == label and use in (each[1], "any") and written in (each[2], None)]
        if fits:
            left.remove(fits[0])
        else:
            right = False
    parts = collections.Counter((label_of(each), each["use"] + ("" if each["certain"] else "?"), written_of(each),
                                 "missing" if each["missing"] else None) for each in memories)
    seen = launch["verdict"] + ": " + (", ".join(said(part, count) for part, count in sorted(parts.items(), key=str)) or "no memory")
    if launch["own_addresses"]:
        seen += "; at own addresses"
    if launch["workers_lost"]:
        seen += f"""; {launch["workers_lost"]} workers lost"""
    if launch["reason"]:
        why.append(launch["reason"])
cells = [name, f"{verdict}: {expected}", seen, "right" if right else "WRONG", seconds, " ".join(dict.fromkeys(why))]
print("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |", flush=True)
sys.exit(0 if right else 1)
'
replay_case() {
  local name verdict memory start end
  IFS=$'\t' read -r name verdict memory <<< "$1"
  start=$(date +%s%N)
  timeout -k 10 "$limit" "$tuner" capture --json --kernel "$name" --launches 2 -o "$work/$name.capture" -- "$cases" "$name" \
    > "$work/$name.json" 2> "$work/$name.log" < /dev/null
  timeout -k 10 "$limit" "$tuner" replay --json --trust "$work/$name.capture" > "$work/$name.replay.json" \
    2>> "$work/$name.log" < /dev/null
  [ $? -ne 124 ] || echo 'tuner: The replay took too long.' >> "$work/$name.log"
  end=$(date +%s%N)
  python3 -c "$row_of" "$name" "$verdict" "$memory" "$work/$name.replay.json" "$work/$name.log" \
    "$(((end - start) / 1000000000)).$(((end - start) / 100000000 % 10))"
}
export -f replay_case
export tuner work limit cases row_of
known=$("$cases") || exit 1
for name in "${names[@]}"; do
  grep -q "^$name"$'\t' <<< "$known" || { echo "$0: no kernel $name" >&2; exit 2; }
done
[ ${#names[@]} -eq 0 ] || known=$(for name in "${names[@]}"; do grep "^$name"$'\t' <<< "$known"; done)
echo '| kernel | expected | seen | | seconds | said |'
echo '|---|---|---|---|---|---|'
tr '\n' '\0' <<< "$known" | xargs -0 -P "${TUNER_PROGRAMS_JOBS:-1}" -I{} bash -c 'replay_case "$1"' _ {} || exit 1
