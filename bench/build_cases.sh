#!/usr/bin/env bash
# The programs of bench/builds, each built in another way, through bench/new_from_captures.sh: all of them should be
# described from the source that has the kernel, checked without a finding and tuned, but for `edited`, whose source is
# changed after it was built. Prints a markdown table.
#   bench/build_cases.sh [BUILD_FOLDER]
# TUNER_PROGRAMS_MAKE, TUNER_PROGRAMS_KEEP, TUNER_PROGRAMS_LIMIT and TUNER_PROGRAMS_JOBS are as there. Ends with 1 if one
# goes otherwise.
set -uo pipefail
build=$(realpath "${1:-$(dirname "$0")/../build/release}")
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r builds/. "$folder"
./new_from_captures.sh "$folder" "$build" | sed "s#$folder/##g" | tee "$folder/table"
awk -F' *[|] *' '
  BEGIN { source["header"] = "header/main.cu"; source["many_sources"] = "many_sources/square.cu" }
  /^[|] program|^[|]-/ { next }
  {
    wanted = $2 in source ? source[$2] : $2 == "static_twins" ? "static_twins/(main|other).cu" : $2 "/main.cu"
    good += $2 == "edited" ? $5 == "" && $8 ~ /changed since the capture/ : $5 ~ "^" wanted "$" && $6 == "no findings" &&
      $7 ~ /x$|^baseline$/
  }
  END { printf "\n%d of %d programs as they should be\n", good, NR - 2; exit good == 8 ? 0 : 1 }' "$folder/table"
