#!/usr/bin/env bash
# The archive as a user of any Linux meets it: unpacked at two paths, used, moved, used again.   archive.sh PACKAGES SOURCES
set -euo pipefail
archive=$(ls "$1"/tuner-*.tar.gz 2>/dev/null | tail -n 1) || true
[ -n "$archive" ] || { echo "SKIPPED: there is no archive in $1; \`./bootstrap package\` makes it"; exit 77; }
sources=$2
fail() { printf '%s\n' "$@"; exit 1; }
has() { grep -F -- "$2" <<<"$1" >/dev/null || fail "not said: $2" "$1"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TUNER_LIBEXEC TUNER_DB TUNER_SYSTEM_DB
export HOME=$work/home
mkdir "$HOME"

# use TREE: each of the doors that need no GPU.
use() {
  local tree=$1 kernels=$1/share/tuner/kernel_sources doctor listed
  "$tree/bin/tuner" describe "$kernels/prefetch.cu" >/dev/null
  TUNER_DB=$tree/database "$tree/bin/tuner" tune "$kernels/prefetch.cu" --replay "$kernels/recordings/prefetch__H200.csv" >/dev/null
  doctor=$("$tree/bin/tuner" doctor) || true
  has "$doctor" "ok   worker       $tree/libexec/tuner/tuner-worker"
  has "$doctor" "ok   engine       $tree/libexec/tuner/tuner-engine"
  has "$doctor" "$tree/share/tuner/system.db"
  cmake -S "$sources/tests/consumer/find_package" -B "$tree/consumer" -DCMAKE_PREFIX_PATH="$tree" \
    -DPROGRAM="$sources/tests/consumer/main.cpp" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
  cmake --build "$tree/consumer" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
  CUDA_VISIBLE_DEVICES=-1 "$tree/consumer/consumer" >/dev/null
}

mkdir "$work/one" "$work/another with a blank"
for folder in "$work/one" "$work/another with a blank"; do
  tar -xzf "$archive" -C "$folder" --strip-components=1
  use "$folder"
done
mv "$work/another with a blank" "$work/moved"
has "$("$work/moved/bin/tuner" list --db "$work/moved/database/replay.db")" prefetch
rm -rf "$work/moved/consumer"
use "$work/moved"

# For glibc 2.35 and newer, and the C++ library that GCC 12 came with, third-party code inside.
newest() { objdump -T "$1" | grep -o "[( ]$2_[0-9][0-9.]*" | sed 's/.*_//' | sort -V | tail -n 1; }
not_newer() { [ "$(printf '%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$2" ]; }
for file in "$work"/one/bin/tuner "$work"/one/libexec/tuner/* "$work"/one/lib/libtuner.so; do
  glibc=$(newest "$file" GLIBC) cxx=$(newest "$file" GLIBCXX || true)
  needed=$(objdump -p "$file" | sed -n 's/^ *NEEDED *//p' | sort | tr '\n' ' ')
  printf '%s: GLIBC_%s%s, needs %s\n' "${file##*/}" "$glibc" "${cxx:+, GLIBCXX_$cxx}" "$needed"
  not_newer "$glibc" 2.35 || fail "$file needs glibc $glibc"
  [ -z "$cxx" ] || not_newer "$cxx" 3.4.30 || fail "$file needs GLIBCXX_$cxx"
  other=$(tr ' ' '\n' <<<"$needed" | grep -Ev '^(libc\.so\.6|libm\.so\.6|ld-linux-.*|libstdc\+\+\.so\.6|libgcc_s\.so\.1)?$') &&
    fail "$file needs what may not be there: $other"
  case $file in */lib/*) ;; *) [[ $needed != *stdc++* ]] || fail "$file needs the C++ library" ;; esac
done
printf 'FIGURE: the archive is %s, unpacked %s\n' "$(du -h "$archive" | cut -f1)" "$(tar -xzf "$archive" -C "$HOME" && du -sh "$HOME" | cut -f1)"
