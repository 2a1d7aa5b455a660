#!/usr/bin/env bash
# The archive of `./bootstrap package` on a machine that has a GPU, a toolkit and a compiler, and nothing of the tuner's:
# unpacked at two paths, one with blanks. At each, softmax is tuned with the archive's program, and a program is built
# against the archive, by CMake's find_package at the first and by g++ alone at the second. Then both are moved.
#   bench/gpu_archive.sh [ARCHIVE] [OUTPUT_FOLDER]
# The program must get the stored decision (rung `exact`), and the engine of the archive must compile for it what is not
# stored (rung `baseline` at a size far away), before the move and after. Databases are in the unpacked folders, so that
# they move too. Ends with one table, and with 1 if anything was wrong; never for being slow. Logs: OUTPUT_FOLDER/*.log.
set -uo pipefail
cd "$(dirname "$0")/.."
archive=$(realpath -e "${1:-$(ls build/packages/tuner-*.tar.gz | tail -n 1)}") || exit
out=${2:-build/packages/gpu}
mkdir -p "$out"
out=$(realpath "$out")
cuda=${CUDA_HOME:-/usr/local/cuda}
problem=(32768 8192) # as softmax.cu has it by default
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TUNER_LIBEXEC TUNER_DB TUNER_SYSTEM_DB TUNER_MODE
export HOME=$work/home
mkdir "$HOME"
status=0
declare -A cell

log_of() { printf '%s/%s.log' "$out" "${1// /_}"; }
now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f s", b - a }'; }
# note PLACE ROW WORDS: a cell of the table; wrong is one that the script ends with 1 for.
note() { cell[$1,$2]=$3; }
wrong() {
  note "$1" "$2" "WRONG: $3"
  status=1
}

# by_cmake TREE, by_compiler TREE: TREE/program/from_archive, which finds the library by its distance when it was moved.
by_cmake() {
  cmake -S bench/archive -B "$1/program" -DCMAKE_PREFIX_PATH="$1" -DCUDAToolkit_ROOT="$cuda" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_BUILD_RPATH='$ORIGIN/../lib' && cmake --build "$1/program"
}
by_compiler() {
  local runtime
  runtime=$(find -L "$cuda/lib64" "$cuda/lib" "$cuda"/targets/*/lib -maxdepth 1 -name libcudart_static.a 2>/dev/null | head -n 1)
  mkdir -p "$1/program"
  g++ -std=c++20 -O2 -Wall -Wextra bench/archive/main.cpp -I"$1/include" -I"$1/share/doc/tuner/examples" -isystem "$cuda/include" \
    -L"$1/lib" -ltuner "$runtime" -lpthread -ldl -lrt '-Wl,-rpath,$ORIGIN/../lib' -o "$1/program/from_archive"
}

# run PLACE TREE ROW RUNG ROWS COLUMNS: the program must say this rung, and of the stored decision its configuration.
run() {
  local place=$1 tree=$2 row=$3 rung=$4 begin said
  begin=$(now)
  said=$(TUNER_DB=$tree/database "$tree/program/from_archive" "$tree/share/tuner/kernel_sources/softmax.cu" "$5" "$6" 2>>"$(log_of "$place")")
  printf '%s: %s\n' "$row" "$said" >>"$(log_of "$place")"
  if [[ $said != "$rung, right, "* ]]; then
    wrong "$place" "$row" "${said:-nothing was said}"
  elif [[ $rung == exact && ${said#"$rung, right, "} != "$(winner "$tree")" ]]; then
    wrong "$place" "$row" "another configuration"
  else
    note "$place" "$row" "$rung, right, $(since "$begin")"
  fi
}

# winner TREE: the configuration that is stored there, if one is.
winner() {
  "$1/bin/tuner" list --json --db "$1/database" 2>/dev/null | grep -A 1000 '"kernel": "softmax"' |
    sed -n 's/^ *"configuration": "\(.*\)",\{0,1\}$/\1/p' | head -n 1
}

# use PLACE BUILDER: everything before the move.
use() {
  local place=$1 tree=$work/$1 begin log
  log=$(log_of "$1")
  : >"$log"
  mkdir "$tree"
  begin=$(now)
  tar -xzf "$archive" -C "$tree" --strip-components=1 && note "$place" 'unpacked' "$(since "$begin")" || wrong "$place" 'unpacked' 'see the log'
  "$tree/bin/tuner" doctor >>"$log" 2>&1
  begin=$(now)
  if TUNER_DB=$tree/database "$tree/bin/tuner" tune "$tree/share/tuner/kernel_sources/softmax.cu" --effort quick --json \
    >"${log%.log}.json" 2>>"$log"; then
    note "$place" 'tuned, `--effort quick`' "$(since "$begin")"
    note "$place" 'speed-up over the baseline' "$(awk '/^ *"ratio": / { printf "%.3f", $2; exit }' "${log%.log}.json")"
  else
    wrong "$place" 'tuned, `--effort quick`' "ended with $?"
  fi
  [ -n "$(winner "$tree")" ] || wrong "$place" 'stored' 'no decision'
  begin=$(now)
  "$2" "$tree" >>"$log" 2>&1 && note "$place" 'program built' "$2, $(since "$begin")" || wrong "$place" 'program built' 'see the log'
  run "$place" "$tree" 'what is stored' exact "${problem[@]}"
  run "$place" "$tree" 'what is not stored' baseline 512 130
}

# use_moved PLACE: the folder has another name; the program is the one built before.
use_moved() {
  local place=$1 before log tree="$work/moved $1"
  log=$(log_of "$1")
  before=$(winner "$work/$place")
  mv "$work/$place" "$tree"
  if [ -n "$before" ] && [ "$(winner "$tree")" = "$before" ]; then
    note "$place" 'moved: decision listed' yes
  else
    wrong "$place" 'moved: decision listed' "$(winner "$tree")"
  fi
  run "$place" "$tree" 'moved: what is stored' exact "${problem[@]}"
  run "$place" "$tree" 'moved: what is not stored' baseline 512 150
  printf 'doctor after the move\n' >>"$log"
  "$tree/bin/tuner" doctor >>"$log" 2>&1
  grep -F "ok   engine       $tree/libexec/tuner/tuner-engine" "$log" >/dev/null || wrong "$place" 'moved: engine' 'not found by doctor'
}

places=(plain 'with a blank')
use plain by_cmake
use 'with a blank' by_compiler
for place in "${places[@]}"; do use_moved "$place"; done

. /etc/os-release
printf '%s, %s; %s\n' "$(basename "$archive")" "$PRETTY_NAME" \
  "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 || echo 'no nvidia-smi')"
printf '\n| | %s | %s |\n|---|---|---|\n' "${places[@]}"
for row in unpacked 'tuned, `--effort quick`' 'speed-up over the baseline' stored 'program built' 'what is stored' 'what is not stored' \
  'moved: decision listed' 'moved: what is stored' 'moved: what is not stored' 'moved: engine'; do
  first=${cell[${places[0]},$row]:-} second=${cell[${places[1]},$row]:-}
  [ -z "$first$second" ] || printf '| %s | %s | %s |\n' "$row" "$first" "$second"
done
exit "$status"
