#!/usr/bin/env bash
# Every installed header compiles alone, without a warning and without any other folder.   headers.sh INCLUDE_FOLDER
set -euo pipefail
mapfile -t headers < <(find "$1" -name '*.hpp')
[ ${#headers[@]} -ge 10 ] || { printf 'only %d headers in %s\n' ${#headers[@]} "$1"; exit 1; }
for header in "${headers[@]}"; do
  printf '#include "%s"\n#include "%s"\n' "${header#"$1"/}" "${header#"$1"/}" |
    "$CXX" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -I"$1" -x c++ -
done

# An older C++ gets one sentence instead of what it makes of C++20.
for header in tuner/tuner.hpp tuner/runtime.hpp tuner/problem.hpp tuner/description.hpp; do
  if said=$(printf '#include "%s"\n' "$header" | "$CXX" -std=c++17 -fsyntax-only -I"$1" -x c++ - 2>&1); then
    printf '%s compiles as C++17\n' "$header"
    exit 1
  fi
  if ! grep -q 'need C++20' <<<"$said" || [ "$(grep -c 'error:' <<<"$said")" -gt 2 ]; then
    printf '%s as C++17:\n%s\n' "$header" "$said"
    exit 1
  fi
done
