#!/usr/bin/env bash
# What `tuner explain` says on the GPU at hand: of the studied kernels (tuned quickly first, or two configurations), of the pairs in
# bench/explain/pairs and bench/explain/held_out against what they must show, and how well paths repeat. Ends with 1 if
# a pair is explained wrongly.
#   bench/gpu_explain.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [SECTION...]
# Sections: studies pairs held_out paths. Objects are left in OUTPUT_FOLDER, NAME.json: bench/explain/pages.sh makes the
# pages in docs/kernels of them, and `bench_explain_recorded facts` the data of tests/explain/recorded_test.cpp.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
out=${2:-$build/explain}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- studies pairs held_out paths
mkdir -p "$out"
out=$(realpath "$out")
tuner=$build/bin/tuner
export TUNER_DB=$out/database
status=0

# key NAME FILE: the value of a key that stands on a line of its own.
key() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\"]*[^\",]\)\"\{0,1\},\{0,1\}$/\1/p" "$2" | head -1; }

# findings FILE: a line for each, most important first: its cause and its claim.
findings() {
  sed -n -e 's/^ *"cause": "\(.*\)",$/\1/;t keep' -e 's/^ *"claim": "\(.*\)",$/\1/;T' -e 'H;x;s/\n/ /;p;d' -e ':keep' -e 'h' "$1"
}

studies() {
  printf '| study | time of the winner | first finding |\n|---|---|---|\n'
  local name kernel problem configuration against file words
  while IFS='|' read -r name kernel problem configuration against; do
    name=${name// /} kernel=${kernel// /} problem=${problem// /} configuration=${configuration// /} against=${against// /}
    file=kernel_sources/${kernel%%:*}.cu
    words=()
    [ -z "$problem" ] || words=(--problem "$problem")
    [ "$kernel" = "${kernel#*:}" ] || words+=(--kernel "${kernel#*:}")
    if [ -n "$configuration" ]; then
      file+=@$configuration words+=(--against "$against")
    else
      "$tuner" tune "$file" "${words[@]}" --effort quick >"$out/$name.tune" 2>&1 || status=1
    fi
    "$tuner" explain "$file" "${words[@]}" --counters --json >"$out/$name.json" 2>"$out/$name.err" || status=1
    printf '| %s | %s | %s |\n' "$name" "$(key ratio "$out/$name.json")" "$(key sentence "$out/$name.json")"
  done <<'LIST'
prefetch        | prefetch             | rows=528,row_length=65536
wide_loads      | wide_loads           | slabs=528,ptmax=4096,kmax=64
wide_loads-l2   | wide_loads           | slabs=132,ptmax=1024,kmax=32
access-offset   | access_patterns      | records=134217728,offset=1
access-align    | access_patterns      | records=134217728,offset=1 | ALIGN_PAD=1 | ALIGN_PAD=0
access-records  | access_patterns      | records=16777216,fields=8
average_matvec  | average_matvec       |
accumulate      | accumulate           |
small_matrix    | small_matrix         |
blur2d_shape    | blur2d:blur2d_shape  |
blur2d_branch   | blur2d:blur2d_branch |
LIST
}

# pairs_in FOLDER PREFIX: explains the pairs of a folder; the objects are PREFIX_NAME.json.
pairs_in() {
  printf '\n| pair | must be | first | time | well |\n|---|---|---|---|---|\n'
  local folder=bench/explain/$1 object name cause ratio first claimed well right=0 all=0
  while IFS='|' read -r name cause _ _; do
    name=${name// /} cause=${cause// /}
    case $name in '' | '#'*) continue ;; esac
    object=$out/$2_$name
    "$tuner" explain "$folder/$name.cu@VARIANT=1" --against VARIANT=0 --counters --json >"$object.json" \
      2>"$object.err" || status=1
    ratio=$(key ratio "$object.json")
    # What is claimed to be a cause, and what comes first: where times do not differ, none is.
    claimed=$(findings "$object.json" | sed -n 's/ cause$//p' | head -1)
    first=$(findings "$object.json" | head -1)
    well=no all=$((all + 1))
    if [ "$cause" = same ]; then
      [ -z "$ratio" ] || [ -n "$claimed" ] || well=yes
    elif [ "$first" = "$cause cause" ]; then
      well=yes
    fi
    [ "$well" = no ] || right=$((right + 1))
    printf '| %s | %s | %s | %s | %s |\n' "$name" "$cause" "${first:-nothing}" "$ratio" "$well"
  done <"$folder/$1.table"
  printf '\n%d of %d pairs explained as they must be\n' "$right" "$all"
  [ "$right" -eq "$all" ] || status=1
}

pairs() { pairs_in pairs pair; }
held_out() { pairs_in held_out held_out; }

# Five times the same path: the share of each step, and whether the steps' product lies in the interval of the whole.
paths() {
  printf '\n| kernel | path | shares of the steps in five repeats |\n|---|---|---|\n'
  local name problem i
  for name in prefetch average_matvec; do
    problem=()
    [ $name != prefetch ] || problem=(--problem rows=528,row_length=65536)
    [ -e "$out/$name.tune" ] || "$tuner" tune "kernel_sources/$name.cu" "${problem[@]}" --effort quick >"$out/$name.tune" 2>&1
    for i in 1 2 3 4 5; do
      "$tuner" explain "kernel_sources/$name.cu" "${problem[@]}" --seed "$i" --json >"$out/path_$name.$i.json" 2>/dev/null
      printf '| %s | %s | %s |\n' "$name" \
        "$(sed -n 's/^ *"change": "\(.*\)",$/\1/p' "$out/path_$name.$i.json" | tr '\n' ' ')" \
        "$(sed -n 's/^ *"share": \([-0-9.e]*\),\{0,1\}$/\1/p' "$out/path_$name.$i.json" | cut -c1-6 | tr '\n' ' ')"
    done
  done
}

for section in "$@"; do "$section"; done
exit "$status"
