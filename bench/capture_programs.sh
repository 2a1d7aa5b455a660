#!/usr/bin/env bash
# Plain CUDA programs under `tuner capture` and without it, on a GPU. Prints a line of a table for each: the hottest kernel
# that is no library's, its share of the GPU time, its launches and their mean, the wall time with and without, and what
# was amiss.
#   bench/capture_programs.sh FOLDER [BUILD_FOLDER]
# FOLDER has a folder for each program, built, in which `make run` runs it. TUNER_PROGRAMS_KEEP=DIR keeps profiles and
# messages there. TUNER_PROGRAMS_LIMIT is how many seconds a run may take, 60 if it is not set.
set -uo pipefail
. "$(dirname "$0")/programs_folder.sh"

seconds() { date +%s.%N; }
row_of='
import json, sys
name, file, code, code_without, begin, end = sys.argv[1:7]
without = f"{float(end) - float(begin):.2f} s"
try:
    profile = json.load(open(file))
except ValueError:
    print(f"| {name} | no profile: exit code {code} | | | | | {without} | |")
    raise SystemExit
amiss = list(profile["troubles"])
if code != code_without and not profile["stopped"]: amiss.append(f"exit code {code} with, {code_without} without")
if not profile["complete"] and not profile["stopped"]: amiss.append("not complete")
own = [kernel for kernel in profile["kernels"] if not kernel["library"]]
hottest = (f"""{own[0]["kernel"][:60]} | {own[0]["share"]:.0%} | {own[0]["launches"]} x {own[0]["mean_us"]:.4g} us"""
           if own else "- | |")
print(f"""| {name} | {hottest} | {len(profile["kernels"])} | {profile["wall_s"]:.2f} s | {without} | {"; ".join(amiss)} |""")
'
echo '| program | hottest kernel of its own | share | launches x mean | kernels | with | without | amiss |'
echo '|---|---|---|---|---|---|---|---|'
for program in "$folder"/*/; do
  name=$(basename "$program")
  command=$(command_of "$program")
  [ -n "$command" ] || continue
  cd "$program" || continue
  begin=$(seconds)
  timeout "$limit" sh -c "$command" > "$work/$name.without" 2>&1 < /dev/null
  code_without=$?
  end=$(seconds)
  timeout "$((limit + 15))" "$tuner" capture --json --stop "${limit}s" -- sh -c "$command" > "$work/$name.json" 2> "$work/$name.with" < /dev/null
  code=$?
  python3 -c "$row_of" "$name" "$work/$name.json" "$code" "$code_without" "$begin" "$end"
done
