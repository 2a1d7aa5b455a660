#!/usr/bin/env bash
# This build against an older one, on one GPU, alternating: hosts and hours differ by more than two builds do.
#   bench/gpu_against.sh OLD_BUILD_FOLDER [NEW_BUILD_FOLDER] [OUTPUT_FOLDER] [SECTION...]
# Sections: session startup request launch miss databases; all of them if none is named. Ends with one table, and with 1 if an old database is
# not found or not used again.
set -uo pipefail
cd "$(dirname "$0")/.."
. bench/median.sh
declare -A build=([old]=$(realpath "$1") [new]=$(realpath "${2:-build/release}"))
out=${3:-${build[new]}}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- session startup request launch miss databases
runs=${RUNS:-5}
status=0
table=()
mkdir -p "$out"

# of BUILD COMMAND...: a program of that build, with its own workers.
of() {
  local folder=${build[$1]}
  shift
  TUNER_LIBEXEC=$folder/libexec/tuner "$folder/bin/$@"
}

# seconds BUILD: of one session over the 708 configurations, from start to exit, with nothing known.
seconds() {
  local folder begin end
  folder=$(mktemp -d)
  begin=$(date +%s.%N)
  TUNER_DB=$folder of "$1" tuner tune kernel_sources/prefetch.cu --strategy exhaustive \
    --problem rows=528,row_length=65536 --where "$(grep -v '^ *#' bench/comparison_space.where | tr '\n' ' ')" \
    >>"$out/session.log" 2>&1 || printf 'a session of %s failed\n' "$1" >>"$out/session.log"
  end=$(date +%s.%N)
  rm -rf "$folder"
  awk "BEGIN { printf \"%.2f\\n\", $end - $begin }"
}

session() {
  local olds=() news=() i
  : >"$out/session.log"
  for ((i = 0; i < runs; ++i)); do
    olds+=("$(seconds old)")
    news+=("$(seconds new)")
  done
  printf 'session, seconds: old %s; new %s\n' "${olds[*]}" "${news[*]}"
  grep 'failed$' "$out/session.log" && status=1
  table+=("| 708 configurations, seconds, median of $runs | $(printf '%s\n' "${olds[@]}" | median) | $(printf '%s\n' "${news[@]}" | median) |")
}

# figures PATTERN PROGRAM ARGUMENT...: those of a benchmark's figures whose names begin like that, by both builds.
figures() {
  local pattern=$1 log=$out/$2.log i which
  shift
  : >"$log"
  for ((i = 0; i < runs; ++i)); do
    for which in old new; do
      of "$which" "$@" 2>&1 | sed -n "s#^| \($pattern[^|]*[^| ]\) *| *\([-0-9.]*\) *\([^|]*[^| ]\) *|.*#$which|\1, \3|\2#p" >>"$log"
    done
  done
  [ -s "$log" ] || status=1
  cut -d'|' -f2 "$log" | sort -u | while read -r figure; do
    figure_of() { awk -F'|' -v which="$1" -v figure="$figure" '$1 == which && $2 == figure { print $3 }' "$log" | median; }
    printf '| %s, median of %s | %s | %s |\n' "$figure" "$runs" "$(figure_of old)" "$(figure_of new)"
  done >"$log.table"
  while read -r line; do table+=("$line"); done <"$log.table"
}

few='STRATEGY in (none, unrolled) and SIZE_KNOWN == 0 and MIN_BLOCKS in (0, 1)'
prefetch=(kernel_sources/prefetch.cu rows=528,row_length=65536)

# Process by process.
startup() {
  local line
  of new bench_runtime_startup --against "${build[old]}/bin/bench_runtime_startup" "${STARTS:-50}" "${prefetch[@]}" "$few" \
    >"$out/startup.log" 2>&1
  grep '^ ' "$out/startup.log"
  while read -r line; do table+=("${line#against}"); done < <(grep '^against' "$out/startup.log")
  grep -q '^against' "$out/startup.log" || status=1
}
request() { figures 'request, ' bench_runtime_request "${prefetch[@]}" row_length "$few"; }
miss() { figures 'miss, ' bench_runtime_miss 5 "${prefetch[@]}"; }
launch() { figures 'launch .*difference' bench_runtime_launch bench/runtime/launch.cu; }

# What the old program stored for each kernel, the new one finds under the same key, and makes none of its trials again
# but the baseline's, which runs in every session.
databases() {
  local folder source kernel counts trials=6 found=0 reused=0 all=0
  folder=$(mktemp -d)
  for source in kernel_sources/*.cu; do
    for kernel in $(sed -n 's/^#pragma tuner kernel(\([a-z0-9_]*\).*/\1/p' "$source"); do
      all=$((all + 1))
      of old tuner tune "$source" --kernel "$kernel" --budget "$trials" \
        --db "$folder/decisions.db" >"$out/old_$kernel.log" 2>&1
      of new tuner tune "$source" --kernel "$kernel" --budget "$trials" --json \
        --db "$folder/decisions.db" >"$out/new_$kernel.json" 2>"$out/new_$kernel.log"
      counts=$(grep -oE '"(asked|reused|screened|deduplicated)": [0-9]+' "$out/new_$kernel.json" | tr -d '"\n' | tr ':' ' ')
      printf '%-24s %s\n' "$kernel" "$counts"
      [ "$(of new tuner list --db "$folder/decisions.db" --json | grep -c "\"kernel\": \"$kernel\"")" = 1 ] && found=$((found + 1))
      grep -q "\"reused\": $((trials - 1))," "$out/new_$kernel.json" && reused=$((reused + 1))
    done
  done
  rm -rf "$folder"
  table+=("| kernels whose old winner has the new one's key, of $all | | $found |")
  table+=("| kernels whose old trials are used again, of $all | | $reused |")
  [ "$found" = "$all" ] && [ "$reused" = "$all" ] || status=1
}

for section in "$@"; do
  printf '\n== %s\n' "$section"
  "$section"
done
printf '\n| figure | old | new |\n|---|---|---|\n'
printf '%s\n' "${table[@]}"
exit "$status"
