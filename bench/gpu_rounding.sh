#!/usr/bin/env bash
# What is taken for rounding on the GPU at hand: each kernel of bench/rounding is tuned completely, in correct
# configurations (MISTAKE=0), all of which should be accepted, and in wrong ones (MISTAKE=1), none of which should be.
# Prints a markdown table, with how mistakes were found and what went otherwise, and what it comes to.
#   bench/gpu_rounding.sh [BUILD_FOLDER] [KERNEL...]
# Ends with 1 if a kernel could not be tuned; never for what was taken for rounding.
set -uo pipefail
cd "$(dirname "$0")/.."
tuner=${1:-build/release}/bin/tuner
shift $(($# < 1 ? $# : 1))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# judge KERNEL: the row of a kernel, of the recording of its session. Parameters and outcomes contain no commas.
judge() {
  awk -F, -v kernel="$1" '
    /^#/ { next }
    !outcome {
      for (i = 1; i <= NF; ++i) name[column[$i] = i] = $i
      mistake = column["MISTAKE"]
      outcome = column["status"]
      next
    }
    $mistake !~ /^[01]$/ || $outcome !~ /^[a-z_]+$/ { next }  # a further line of a message
    {
      ++all[$mistake]
      if ($mistake == 1 && $outcome != "ok") ++found_as[$outcome]
      if (($outcome == "ok") == !$mistake) { ++well[$mistake]; next }
      configuration = ""
      for (i = 1; i < outcome; ++i) configuration = configuration (i > 1 ? "," : "") name[i] "=" $i
      otherwise = otherwise (otherwise ? "; " : "") configuration " " $outcome
    }
    END {
      for (class in found_as) as = as (as ? ", " : "") class " " found_as[class]
      printf "| %s | %d of %d | %d of %d | %s | %s |\n", kernel, well[0], all[0], well[1], all[1], as, otherwise
    }' "$folder/$1.csv"
}

printf '| kernel | correct accepted | mistakes found | as | otherwise |\n|---|---|---|---|---|\n'
for file in bench/rounding/*.cu; do
  kernel=$(basename "$file" .cu)
  [[ $# -eq 0 || " $* " == *" $kernel "* ]] || continue
  if "$tuner" tune "$file" --effort full --db "$folder" --record "$folder/$kernel.csv" >"$folder/log" 2>&1; then
    judge "$kernel"
  else
    printf '| %s | failed | failed | | %s |\n' "$kernel" "$(grep -m 1 '^tuner: ' "$folder/log" || head -1 "$folder/log")"
  fi
done | tee "$folder/table"
awk -F' [|] ' '/^[|] kernel|^[|]-/ { next } {
  ++kernels
  split($2, correct, " of "); split($3, mistakes, " of ")
  if (correct[1] > 0 && correct[1] == correct[2]) ++accepted
  if (mistakes[1] > 0 && mistakes[1] == mistakes[2]) ++found
} END {
  printf "\n%d of %d kernels: all correct configurations are accepted\n", accepted, kernels
  printf "%d of %d kernels: the mistake is found in every configuration\n", found, kernels
}' "$folder/table"
printf '%d seconds\n' "$SECONDS"
! grep -q '| failed | failed |' "$folder/table"
