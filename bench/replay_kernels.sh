#!/usr/bin/env bash
# The captures that bench/capture_kernels.sh left, run again on a GPU by `tuner replay`. Prints a line of a table for each:
# what its launches came to, what they do to memory, how many workers that cost, and why they are not exact.
#   bench/replay_kernels.sh FOLDER [BUILD_FOLDER]
# FOLDER has a folder NAME.capture for each program. TUNER_PROGRAMS_KEEP=DIR keeps answers and messages there.
# TUNER_PROGRAMS_LIMIT is how many seconds a replay may take, 60 if it is not set. TUNER_PROGRAMS_JOBS run at a time, 1 if
# it is not set; they wait for each other's turn on the GPU.
set -uo pipefail
. "$(dirname "$0")/programs_folder.sh"

row_of='
import collections, json, sys
name, file, messages, seconds, code = sys.argv[1:6]
def counted(words):
    counts = collections.Counter(words)
    return ", ".join(f"{word} x {count}" if count > 1 else word for word, count in counts.items())
def uses_of(launch):
    uses = collections.Counter(each["use"] + ("" if each["certain"] else "?") for each in launch["memory"])
    order = ["in", "in?", "out", "out?", "inout", "inout?", "not reached"]
    return ", ".join(f"{uses[use]} {use}" for use in order if uses[use])
try:
    launches = json.load(open(file))["launches"]
except (OSError, ValueError, KeyError):
    launches = []
why = [launch["reason"] for launch in launches if launch["reason"]]
why += [line[7:].strip() for line in open(messages, errors="replace") if line.startswith("tuner: ")]
if code in ("124", "137"):
    why.append("It took too long.")
cells = [name,
         "; ".join(dict.fromkeys(launch["kernel"][:60] for launch in launches)),
         counted(launch["verdict"] for launch in launches) or "no answer",
         "; ".join(dict.fromkeys(map(uses_of, launches))),
         str(sum(launch["workers_lost"] for launch in launches)) if launches else "",
         seconds,
         " ".join(dict.fromkeys(why))]
print("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |", flush=True)
'
counts_of='
import collections, json, sys
verdicts = ["exact", "close", "same set", "not repeatable", "not run", "no answer"]
launches, programs = collections.Counter(), collections.Counter()
for file in sys.argv[1:]:
    try:
        said = [launch["verdict"] for launch in json.load(open(file))["launches"]]
    except (OSError, ValueError, KeyError):
        said = []
    launches.update(said)
    programs[max(said, key=verdicts.index) if said else "no answer"] += 1
for what, counts in (("launches", launches), ("programs, by their worst launch", programs)):
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in verdicts if counts[verdict])
    print(f"{sum(counts.values())} {what}: {parts}")
'
replay_of() {
  local name start end code
  name=$(basename "$1" .capture)
  start=$(date +%s%N)
  timeout -k 10 "$limit" "$tuner" replay --json --trust "$1" > "$work/$name.replay.json" 2> "$work/$name.replay.log" < /dev/null
  code=$?
  end=$(date +%s%N)
  python3 -c "$row_of" "$name" "$work/$name.replay.json" "$work/$name.replay.log" \
    "$(((end - start) / 1000000000)).$(((end - start) / 100000000 % 10))" "$code"
}
export -f replay_of
export tuner work limit row_of
shopt -s nullglob
captures=("$folder"/*.capture)
[ ${#captures[@]} -gt 0 ] || { echo "$0: $folder has no folder NAME.capture" >&2; exit 1; }
echo '| program | kernel | launches | memory | workers lost | seconds | not exact because |'
echo '|---|---|---|---|---|---|---|'
printf '%s\0' "${captures[@]}" | xargs -0 -P "${TUNER_PROGRAMS_JOBS:-1}" -I{} bash -c 'replay_of "$1"' _ {}
echo
answers=()
for capture in "${captures[@]}"; do answers+=("$work/$(basename "$capture" .capture).replay.json"); done
python3 -c "$counts_of" "${answers[@]}"
