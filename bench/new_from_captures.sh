#!/usr/bin/env bash
# The hottest kernel of each plain CUDA program, whose build is recorded: captured, replayed, described by `tuner new
# --capture`, checked and tuned on a GPU. Prints a line of a table for each: what its replay came to, the source that
# became a description, and why not.
#   bench/new_from_captures.sh FOLDER [BUILD_FOLDER]
# FOLDER has a folder for each program, in which `make` builds it and `make run` runs it; one that cannot be built is left
# out. TUNER_PROGRAMS_MAKE has words for make, such as ARCH=sm_90. TUNER_PROGRAMS_KEEP=DIR keeps captures, descriptions
# and messages there. TUNER_PROGRAMS_LIMIT is how many seconds a run may take, 60 if it is not set; searches take what
# they take, ten times as long at most. TUNER_PROGRAMS_JOBS programs run at a time, 1 if it is not set.
set -uo pipefail
. "$(dirname "$0")/programs_folder.sh"

row_of='
import json, sys
name, folder, source = sys.argv[1:4]
def read(ending):
    try:
        return json.load(open(f"{folder}/{name}.{ending}"))
    except (OSError, ValueError):
        return {}
def said(ending, which=-1):
    try:
        lines = [line[7:].strip() for line in open(f"{folder}/{name}.{ending}", errors="replace") if line.startswith("tuner: ")]
    except OSError:
        return ""
    return lines[which].removeprefix("warning: ") if lines else ""
captured, checked, tuned = read("json"), read("check"), read("tune")
stored, replayed = captured.get("stored"), captured.get("replayed") or []
verdicts = ", ".join(dict.fromkeys(launch["verdict"] for launch in replayed))
findings = checked.get("findings")
check = "" if not source else "no answer" if findings is None else "no findings" if not findings else f"{len(findings)} findings"
report = (tuned.get("reports") or [{}])[0]
speedup = (report.get("speedup") or {}).get("ratio")
tune = "" if not source else "no answer" if not report else "no winner" if not report.get("winner") else f"{speedup:.2f} x" if speedup else "baseline"
why = "" if replayed else said("with", -1 if stored else 0) or said("first")
why = why or ("" if source else said("new"))
why = why or (findings[0]["message"] if findings else "")
why = why or (said("check.log") if check == "no answer" else said("tune.log") if tune.startswith("no") else "")
cells = [name, (stored or {}).get("kernel", "")[:60], verdicts, source, check, tune, why]
print("| " + " | ".join(str(cell).replace("|", "/").replace("\n", " ") for cell in cells) + " |", flush=True)
'
describe_one() {
  local name command kernel source="" with=()
  name=$(basename "$1")
  cd "$1" || return 0
  local run=(timeout "$((3 * limit))" "$tuner" capture --json --stop "${limit}s")
  make clean > /dev/null 2>&1
  "$tuner" capture --build --output "$work/$name.build.json" -- make ${TUNER_PROGRAMS_MAKE:-} > "$work/$name.build" 2>&1 < /dev/null || return 0
  # Once it is built: before that, what `make run` would do begins with building it.
  command=$(command_of .)
  [ -n "$command" ] || return 0
  "${run[@]}" -- sh -c "$command" > "$work/$name.profile" 2> "$work/$name.first" < /dev/null
  kernel=$(python3 -c "$hottest_of" "$work/$name.profile")
  [ -n "$kernel" ] &&
    "${run[@]}" --kernel "$kernel" -o "$work/$name.capture" -- sh -c "$command" > "$work/$name.json" 2> "$work/$name.with" < /dev/null
  if [ -d "$work/$name.capture" ]; then
    timeout "$((3 * limit))" "$tuner" new --capture "$work/$name.capture" --build "$work/$name.build.json" --force \
      --output "$work/$name.cu" > /dev/null 2> "$work/$name.new" < /dev/null &&
      source=$(sed -n 's/^tuner: \(.*\) makes the machine code that the program ran\.$/\1/p' "$work/$name.new")
  fi
  if [ -n "$source" ]; then
    with=(--build "$work/$name.build.json" --source "$source")
    timeout "$((3 * limit))" "$tuner" check --json "$work/$name.cu" "${with[@]}" > "$work/$name.check" 2> "$work/$name.check.log" < /dev/null
    timeout "$((10 * limit))" "$tuner" tune --json --effort quick "$work/$name.cu" "${with[@]}" > "$work/$name.tune" 2> "$work/$name.tune.log" < /dev/null
  fi
  python3 -c "$row_of" "$name" "$work" "$source"
}
export -f command_of describe_one
export tuner work limit hottest_of row_of
echo '| program | hottest kernel of its own | replayed | described from | check | tune | why not |'
echo '|---|---|---|---|---|---|---|'
printf '%s\0' "$folder"/*/ | xargs -0 -P "${TUNER_PROGRAMS_JOBS:-1}" -I{} bash -c 'describe_one "$1"' _ {}
