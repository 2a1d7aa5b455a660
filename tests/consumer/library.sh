#!/usr/bin/env bash
# What the installed library shows to others.   library.sh LIBRARY FOLDER_NOT_TO_BE_NAMED...
set -euo pipefail
library=$1
shift
fail() { printf '%s\n' "$@"; exit 1; }

public='(tuner::(Description|DescriptionBuilder|Runtime|Kernel|Instance|TunedValues)::|tuner::to_string\(tuner::Rung\)|(typeinfo|typeinfo name|vtable) for tuner::Error$)'
exported=$(nm --dynamic --defined-only --demangle "$library" | cut -d' ' -f3-)
other=$(grep -Ev "^$public" <<<"$exported") && fail "exported, but not public:" "$other"
grep -q '^tuner::Runtime::kernel(' <<<"$exported" || fail "Runtime::kernel is not exported"

dynamic=$(readelf --dynamic --wide "$library")
if grep -E 'RPATH|RUNPATH' <<<"$dynamic"; then fail "the library says where to look for others"; fi
if grep -E 'NEEDED.*(cuda|cudart|nvrtc|nvidia)' <<<"$dynamic"; then fail "the library cannot be loaded without CUDA"; fi
grep -Eq 'SONAME.*\[libtuner\.so\.[0-9]+\.[0-9]+\]' <<<"$dynamic" || fail "no SONAME with a version"

if nm --dynamic --undefined-only "$library" | grep -E '__(asan|tsan)_init' >/dev/null; then
  echo "skipped: a sanitizer puts the names of folders into what it builds; all else was checked"
  exit 77
fi
# What a program loads with the library. Each of these costs its start, and must be there where it runs.
loaded=$(ldd "$library" | awk '{ sub(".*/", "", $1); print $1 }' | sort | tr '\n' ' ')
known='^(ld-linux-[^ ]* |libc\.so\.6 |libfmt\.so\.[0-9]+ |libgcc_s\.so\.1 |libm\.so\.6 |libsqlite3\.so\.0 |libstdc\+\+\.so\.6 |linux-vdso\.so\.1 )+$'
grep -Eq "$known" <<<"$loaded" || fail "the library loads something new: $loaded"

without_debug_information=$(mktemp)
trap 'rm -f "$without_debug_information"' EXIT
objcopy --strip-debug "$library" "$without_debug_information"
# Compilers put the letters of short text into instructions, eight at a time. The name of a folder near the root may stand
# there by chance: that of a file in it does not.
names() {
  local folder=$1 from
  if [ ${#folder} -lt 16 ]; then
    grep --quiet --text --fixed-strings --regexp="$folder/"{tuner,cache,search,build}/ "$without_debug_information"
    return
  fi
  for ((from = 0; from == 0 || from + 8 <= ${#folder}; from += 8)); do
    grep --quiet --fixed-strings -- "${folder:from:8}" "$without_debug_information" || return 1
  done
}
for folder in "$@"; do
  if names "$folder"; then fail "the library names $folder"; fi
done
