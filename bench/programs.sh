#!/usr/bin/env bash
# Plain CUDA programs as a user brings them: `tuner new`, `describe`, and `check --compile 1` of each proposed kernel.
# Prints a line for each file, the counts, and why kernels fail, the most frequent reason first. Needs no GPU.
#   bench/programs.sh FOLDER [BUILD_FOLDER]
# FOLDER has a folder for each program, and is not changed. `-I`, `-D` and `-std` are taken from a program's Makefile, and
# FOLDER/include is searched. TUNER_PROGRAMS_ARCH is the architecture, sm_90 if it is not set. TUNER_PROGRAMS_KEEP=DIR
# keeps proposals and messages there.
set -uo pipefail
. "$(dirname "$0")/programs_folder.sh"
arch=${TUNER_PROGRAMS_ARCH:-sm_90}
rm -rf "$work/src" "$work/reasons" && cp -rL "$folder" "$work/src" && : > "$work/reasons"
export TUNER_DB=$work/db

# The first error of a compiler, or the sentence, without what differs from program to program.
class_of() {
  local line
  line=$(grep -m 1 -oE 'error: .*' "$1" || grep -m 1 -E '^tuner: ' "$1" || tail -1 "$1")
  sed -E 's/^error: //; s/^tuner: //; s#/[^ :]*:[0-9]*:?[0-9]*:? ?##; s/[`"'"'"'][^`"'"'"']*[`"'"'"']/…/g; s/[0-9]+/N/g; s/^[A-Za-z_0-9]+(\.[a-z]+)?\(N\): error: /in a header: /' <<< "$line" | cut -c 1-110
}
# What the program's Makefile says of this form, each once.
made_with() { cat "$1"Makefile 2>/dev/null | sed 's/#.*//' | grep -oE -- "(^|[[:space:]=])$2" | sed -E 's/^[[:space:]=]//' | awk '!seen[$0]++'; }
fails() { printf '%s\t%s\n' "$2" "$(class_of "$1")" >> "$work/reasons"; }

files=0 with_kernel=0 proposed=0 described=0 compiled=0 programs=0 programs_with_one=0
printf '%-44s %8s %9s %8s\n' file proposed described compile
for program in "$work"/src/*/; do
  [ "$(basename "$program")" != include ] || continue
  programs=$((programs + 1))
  own=0
  options=()
  for name in $(made_with "$program" '-I *[^ $]+' | sed -E 's/^-I *//') . include inc src ../include; do
    [ ! -d "$program$name" ] || options+=(-I "$program$name")
  done
  compiler=$(made_with "$program" '(-D[A-Za-z_0-9]+(=[A-Za-z_0-9.]+)?|-?-std=[a-z0-9+]+)' | sed 's/^--std/-std/; s/.*/"&"/' | paste -sd ,)
  while read -r file; do
    # What another file includes is a part of that.
    ! grep -rqsE "^[[:space:]]*#[[:space:]]*include[[:space:]]*\"([^\"]*/)?$(basename "$file")\"" "$program" || continue
    files=$((files + 1))
    proposal=${file%.cu}.proposed.cu
    log=${file%.cu}.log
    if ! "$tuner" new "$file" "${options[@]}" --output "$proposal" > /dev/null 2> "$log"; then
      fails "$log" new
      printf '%-44s %8s  %s\n' "${file#"$work/src/"}" - "$(class_of "$log")"
      continue
    fi
    with_kernel=$((with_kernel + 1))
    [ -z "$compiler" ] || sed -i "s/^#pragma tuner kernel(.*/&\n#pragma tuner options($compiler)/" "$proposal"
    p=0 d=0 c=0
    for kernel in $(grep -oE '^#pragma tuner kernel\([A-Za-z_0-9:]+' "$proposal" | sed 's/.*(//'); do
      p=$((p + 1))
      log=${file%.cu}.$kernel.log
      if ! "$tuner" describe "$proposal" "${options[@]}" --kernel "$kernel" > "$log" 2>&1; then
        fails "$log" describe
      elif d=$((d + 1)) && "$tuner" check "$proposal" "${options[@]}" --kernel "$kernel" --compile 1 --arch "$arch" > "$log" 2>&1; then
        c=$((c + 1))
      else
        fails "$log" compile
      fi
    done
    printf '%-44s %8d %9d %8d\n' "${file#"$work/src/"}" $p $d $c
    proposed=$((proposed + p)) described=$((described + d)) compiled=$((compiled + c)) own=$((own + c))
  done < <(find "$program" -name '*.cu' ! -name '*.proposed.cu' | sort)
  [ $own -eq 0 ] || programs_with_one=$((programs_with_one + 1))
done
printf '\n%d programs, %d files, %d of them with proposals: %d kernels proposed, %d described, %d compile; %d programs have one that compiles\n\n' \
  $programs $files $with_kernel $proposed $described $compiled $programs_with_one
sort "$work/reasons" | uniq -c | sort -rn
