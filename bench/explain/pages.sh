#!/usr/bin/env bash
# Writes what `tuner explain` says of the studied kernels into their pages, docs/kernels, between the lines
# `<!-- explain:NAME -->` and `<!-- /explain:NAME -->`, from what bench/gpu_explain.sh left. Needs no GPU.
#   bench/explain/pages.sh BUILD_FOLDER OUTPUT_FOLDER DEVICE CONDITIONS
# DEVICE is the short name of the GPU ("H100"), CONDITIONS are driver, toolkit, date and commit.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$1/bin/bench_explain_recorded out=$2 device=$3 conditions=$4
for page in docs/kernels/*.md; do
  names=$(sed -n 's/^<!-- explain:\(.*\) -->$/\1/p' "$page")
  for name in $names; do
    "$program" page "$device" "$conditions" "$out/$name.json" >"$out/$name.page"
    sed -i -e "/^<!-- explain:$name -->\$/,/^<!-- \/explain:$name -->\$/{/^<!-- explain/b;/^<!-- \/explain/b;d}" "$page"
    sed -i -e "/^<!-- explain:$name -->\$/r $out/$name.page" "$page"
    printf '%s: %s\n' "$page" "$name"
  done
done
