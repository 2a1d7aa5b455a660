#!/usr/bin/env bash
# The hottest kernel of each plain CUDA program, stored on a GPU by `tuner capture --kernel`. Prints a line of a table for
# each: how many launches were stored of those wanted, their memory, how long the longest held up the program, and why
# others were not.
#   bench/capture_kernels.sh FOLDER [BUILD_FOLDER]
# FOLDER has a folder for each program, built, in which `make run` runs it. TUNER_PROGRAMS_KEEP=DIR keeps captures and
# messages there. TUNER_PROGRAMS_LIMIT is how many seconds a run may take, 60 if it is not set. TUNER_PROGRAMS_JOBS
# programs run at a time, 1 if it is not set; times are worth something only then.
set -uo pipefail
. "$(dirname "$0")/programs_folder.sh"

row_of='
import json, sys
name, file, messages = sys.argv[1:4]
warnings = [line.partition("warning: ")[2].strip() for line in open(messages, errors="replace") if line.startswith("tuner: ")]
why = "; ".join(dict.fromkeys(line for line in warnings if line))
try:
    stored = json.load(open(file)).get("stored")
except ValueError:
    stored = None
if stored:
    print(f"""| {name} | {stored["kernel"][:60]} | {stored["launches"]} of {stored["wanted"]} | {stored["memory_bytes"] / 1e6:.1f} | {stored["held_ms"]:.0f} | {why} |""")
else:
    print(f"| {name} | | none | | | {why} |")
'
store_of() {
  local name command kernel
  name=$(basename "$1")
  command=$(command_of "$1")
  [ -n "$command" ] && cd "$1" || return 0
  local run=(timeout "$((3 * limit))" "$tuner" capture --json --stop "${limit}s")
  "${run[@]}" -- sh -c "$command" > "$work/$name.profile" 2> "$work/$name.first" < /dev/null
  kernel=$(python3 -c "$hottest_of" "$work/$name.profile")
  [ -n "$kernel" ] || { echo "| $name | | no kernel of its own | | | $(grep -m 1 '^tuner: ' "$work/$name.first") |"; return 0; }
  "${run[@]}" --no-replay --kernel "$kernel" -o "$work/$name.capture" -- sh -c "$command" > "$work/$name.json" 2> "$work/$name.with" < /dev/null
  python3 -c "$row_of" "$name" "$work/$name.json" "$work/$name.with"
}
export -f command_of store_of
export tuner work limit hottest_of row_of
echo '| program | hottest kernel of its own | launches stored | MB | held up, ms | amiss |'
echo '|---|---|---|---|---|---|'
printf '%s\0' "$folder"/*/ | xargs -0 -P "${TUNER_PROGRAMS_JOBS:-1}" -I{} bash -c 'store_of {}'
