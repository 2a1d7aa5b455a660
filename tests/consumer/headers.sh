#!/usr/bin/env bash
# Every installed header compiles alone, without a warning and without any other folder.   headers.sh INCLUDE_FOLDER
set -euo pipefail
mapfile -t headers < <(find "$1" -name '*.hpp')
[ ${#headers[@]} -ge 10 ] || { printf 'only %d headers in %s\n' ${#headers[@]} "$1"; exit 1; }
for header in "${headers[@]}"; do
  printf '#include "%s"\n#include "%s"\n' "${header#"$1"/}" "${header#"$1"/}" |
    "$CXX" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -I"$1" -x c++ -
done
