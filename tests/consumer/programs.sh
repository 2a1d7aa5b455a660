#!/usr/bin/env bash
# The installed program finds its worker and its kernels in the moved tree, and brings manual pages and completions.
#   programs.sh BIN_FOLDER
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
for command in '' -tune -doctor; do grep -q '^.TH TUNER' "$prefix/share/man/man1/tuner$command.1"; done
test -s "$prefix/share/bash-completion/completions/tuner"
test -s "$prefix/share/zsh/site-functions/_tuner"
test -s "$prefix/share/fish/vendor_completions.d/tuner.fish"
