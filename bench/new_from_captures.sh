#!/usr/bin/env bash
# The hottest kernel of each plain CUDA program, captured, replayed, described by `tuner new --capture`, checked and tuned
# on a GPU. Prints a line of a table for each: what its replay came to, the source that became a description, and why not.
#   bench/new_from_captures.sh FOLDER [BUILD_FOLDER]
# FOLDER has a folder for each program, built, in which `make run` runs it. TUNER_PROGRAMS_KEEP=DIR keeps captures,
# descriptions and messages there. TUNER_PROGRAMS_LIMIT is how many seconds a run may take, 60 if it is not set; searches
# take what they take, ten times as long at most. TUNER_PROGRAMS_JOBS programs run at a time, 1 if it is not set.
# TUNER_PROGRAMS_INCLUDE names folders of headers, one a word.
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
def said(ending):
    try:
        lines = [line[7:].strip() for line in open(f"{folder}/{name}.{ending}", errors="replace") if line.startswith("tuner: ")]
    except OSError:
        return ""
    return next((line.removeprefix("warning: ") for line in reversed(lines)), "")
captured, checked, tuned = read("json"), read("check"), read("tune")
stored, replayed = captured.get("stored"), captured.get("replayed") or []
verdicts = ", ".join(dict.fromkeys(launch["verdict"] for launch in replayed))
findings = checked.get("findings")
check = "" if not source else "no answer" if findings is None else "no findings" if not findings else f"{len(findings)} findings"
report = (tuned.get("reports") or [{}])[0]
speedup = (report.get("speedup") or {}).get("ratio")
tune = "" if not source else "no answer" if not report else "no winner" if not report.get("winner") else f"{speedup:.2f} x" if speedup else "baseline"
why = said("first") if not stored else "" if replayed else said("with")
why = why or ("" if source else said("new"))
why = why or (findings[0]["message"] if findings else "")
why = why or (said("check.log") if check == "no answer" else said("tune.log") if tune.startswith("no") else "")
cells = [name, (stored or {}).get("kernel", "")[:60], verdicts, source, check, tune, why]
print("| " + " | ".join(str(cell).replace("|", "/").replace("\n", " ") for cell in cells) + " |", flush=True)
'
# The sources of a program that may have a kernel of this name, those that name it first.
sources_of() {
  { grep -lrw --include='*.cu' -- "$2" "$1"; grep -lr --include='*.cu' __global__ "$1"; find "$1" -name '*.cu';
    grep -lrw --include='*.cuh' --include='*.h' --include='*.hpp' -- "$2" "$1"; } 2> /dev/null | awk '!seen[$0]++'
}
describe_one() {
  local name command kernel plain source described=""
  name=$(basename "$1")
  command=$(command_of "$1")
  [ -n "$command" ] && cd "$1" || return 0
  local run=(timeout "$((3 * limit))" "$tuner" capture --json --stop "${limit}s") headers=(-I .)
  for source in ${TUNER_PROGRAMS_INCLUDE:-}; do headers+=(-I "$source"); done
  "${run[@]}" -- sh -c "$command" > "$work/$name.profile" 2> "$work/$name.first" < /dev/null
  kernel=$(python3 -c "$hottest_of" "$work/$name.profile")
  if [ -n "$kernel" ]; then
    "${run[@]}" --kernel "$kernel" -o "$work/$name.capture" -- sh -c "$command" > "$work/$name.json" 2> "$work/$name.with" < /dev/null
    # The last word of the name, without namespaces and what the template is given.
    plain=$(c++filt "$kernel" | sed -E 's/^void //; s/\(anonymous namespace\):://g; s/[<(].*//; s/.*:://')
  fi
  if [ -d "$work/$name.capture" ]; then
    while read -r source; do
      timeout "$limit" "$tuner" new "$source" --capture "$work/$name.capture" "${headers[@]}" --force \
        --output "$work/$name.cu" > /dev/null 2> "$work/$name.new" && described=${source#"$1"} && break
      # A reason of the source that has the kernel says more than that others have none.
      grep -q 'has no kernel\|there is no kernel' "$work/$name.new" || break
    done < <(sources_of "$1" "$plain")
  fi
  if [ -n "$described" ]; then
    headers+=(-I "$(dirname "$1/$described")")
    timeout "$((3 * limit))" "$tuner" check --json "$work/$name.cu" "${headers[@]}" > "$work/$name.check" 2> "$work/$name.check.log" < /dev/null
    timeout "$((10 * limit))" "$tuner" tune --json --effort quick "$work/$name.cu" "${headers[@]}" > "$work/$name.tune" 2> "$work/$name.tune.log" < /dev/null
  fi
  python3 -c "$row_of" "$name" "$work" "$described"
}
export -f command_of sources_of describe_one
export tuner work limit hottest_of row_of
echo '| program | hottest kernel of its own | replayed | described from | check | tune | why not |'
echo '|---|---|---|---|---|---|---|'
printf '%s\0' "$folder"/*/ | xargs -0 -P "${TUNER_PROGRAMS_JOBS:-1}" -I{} bash -c 'describe_one "$1"' _ {}
