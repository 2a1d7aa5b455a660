#!/usr/bin/env bash
# Tuning the problems of an application together against one by one, on the GPU at hand: seconds, and how the winners
# compare, raced side by side. sgemm at 40 problems; softmax, reduce and transpose at 25 each.
#   bench/gpu_sizes.sh [BUILD_FOLDER] [OUTPUT_FOLDER] [EVERY] [KERNEL...]
# EVERY: one by one, only every so many-th problem is tuned, and the time of all is estimated from these; 1 (the
# default) tunes them all. Reports are left in OUTPUT_FOLDER: KERNEL.together.json and KERNEL.alone.json.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/release}")/bin
out=${2:-$bin/sizes} every=${3:-1}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- sgemm softmax reduce transpose
mkdir -p "$out"
out=$(realpath "$out")

# problems KERNEL: one a line.
problems() {
  case $1 in
    sgemm)
      local n
      for n in 64 128 200 256 384 512 768 1000 1024 1536 2000 2048 3000 3072 4096 8192; do
        printf 'm=%s,n=%s,k=%s\n' $n $n $n
      done
      for n in 64 96 128 256 500 512 1024 2048 4096 8192 1000 6000; do  # tall
        printf 'm=%s,n=128,k=1024\n' $n
      done
      for n in 64 128 250 256 512 1000 1024 2048 3000 4096 6000 8192; do  # wide
        printf 'm=96,n=%s,k=2048\n' $n
      done
      ;;
    softmax)
      local rows columns
      for rows in 128 1024 4096 16384 65536; do
        for columns in 100 512 1000 2048 4096; do printf 'rows=%s,columns=%s\n' $rows $columns; done
      done
      ;;
    reduce)
      local i
      for i in $(seq 0 24); do awk -v i="$i" 'BEGIN { printf "n=%d\n", 1000 * exp(i * log(268435.456) / 24) }'; done
      ;;
    transpose)
      local rows columns
      for rows in 64 500 1024 4096 10000; do
        for columns in 64 333 1024 3000 8192; do printf 'rows=%s,columns=%s\n' $rows $columns; done
      done
      ;;
  esac
}

now() { date +%s.%N; }

# winners KERNEL: a problem that was tuned alone, its winner together ("-": none) and that alone, a line each.
winners() {
  python3 - "$out/$1.together.json" "$out/$1.alone.json" <<'PYTHON'
import json, sys
def winners(name):
    text, found, at = open(name).read().strip(), {}, 0
    while at < len(text):
        document, at = json.JSONDecoder().raw_decode(text, at)
        while at < len(text) and text[at].isspace():
            at += 1
        for report in document.get("reports", [document]):
            if report["winner"]:
                found[report["problem"]] = report["winner"]["configuration"]
    return found
together, alone = (winners(name) for name in sys.argv[1:])
for problem in alone:
    print(problem, together.get(problem, "-"), alone[problem], sep="\t")
PYTHON
}

printf '| kernel | problems | together s | one by one s | share | winners within 2 %% |\n'
printf '|---|---|---|---|---|---|\n'
for kernel in "$@"; do
  file=kernel_sources/$kernel.cu
  problems "$kernel" >"$out/$kernel.problems"
  rm -rf "$out/$kernel.db" "$out/$kernel.alone.db"
  start=$(now)
  TUNER_DB=$out/$kernel.db "$bin/tuner" tune "$file" --problems "$out/$kernel.problems" --json \
    >"$out/$kernel.together.json" 2>"$out/$kernel.together.err"
  together=$(awk -v a="$start" -v b="$(now)" 'BEGIN { print b - a }')
  : >"$out/$kernel.alone.json"
  start=$(now) tuned=0 number=0
  while read -r problem; do
    number=$((number + 1))
    [ $(((number - 1) % every)) -eq 0 ] || continue
    tuned=$((tuned + 1))
    TUNER_DB=$out/$kernel.alone.db "$bin/tuner" tune "$file" --problem "$problem" --json </dev/null \
      >>"$out/$kernel.alone.json" 2>>"$out/$kernel.alone.err"
  done <"$out/$kernel.problems"
  alone=$(awk -v a="$start" -v b="$(now)" -v n="$number" -v t="$tuned" 'BEGIN { print (b - a) * n / t }')
  # Side by side: what two sessions say of kernels of a few microseconds differs by more than that for the same kernel.
  all=0 near=0
  while IFS=$'\t' read -r problem one other; do
    all=$((all + 1))
    if [ "$one" = "$other" ] || { [ "$one" != - ] && "$bin/tuner" compare "$file@$other" "@$one" --problem "$problem" \
      --within 2% </dev/null >>"$out/$kernel.compared" 2>&1; }; then
      near=$((near + 1))
    fi
  done < <(winners "$kernel")
  awk -v kernel="$kernel" -v number="$number" -v a="$together" -v b="$alone" -v near="$near" -v all="$all" \
    'BEGIN { printf "| %s | %d | %.1f | %.1f | %.2f | %d of %d |\n", kernel, number, a, b, a / b, near, all }'
done
