#!/usr/bin/env bash
# The installed program finds its worker and its kernels in the moved tree.   programs.sh BIN_FOLDER
set -euo pipefail
prefix=$(cd "$1/.." && pwd)
unset TUNER_LIBEXEC
"$1/tuner" describe "$prefix/share/tuner/kernel_sources/prefetch.cu" >/dev/null
doctor=$("$1/tuner" doctor) || true
grep -F "$prefix/libexec/tuner/tuner-worker" <<<"$doctor" || { printf '%s\n' "$doctor"; exit 1; }
test -x "$prefix/libexec/tuner/tuner-engine"
help=$("$1/tuner" --help)
grep -F "tuner tune $prefix/share/tuner/kernel_sources/prefetch.cu --problem" <<<"$help" || { printf '%s\n' "$help"; exit 1; }
usage=$("$1/tuner" describe 2>&1) && exit 1
grep -F "tuner describe $prefix/share/tuner/kernel_sources/prefetch.cu" <<<"$usage" || { printf '%s\n' "$usage"; exit 1; }
