#!/usr/bin/env bash
# The packages as a user of Debian 12 meets them: installed by apt in a root that has nothing else, used, removed.
#   debian.sh PACKAGES SOURCES     needs root, mmdebstrap, lintian, a CUDA toolkit, and an archive of Debian
set -euo pipefail
packages=$(cd "$1" 2>/dev/null && pwd) || { echo "SKIPPED: there are no packages in $1; \`./bootstrap package\` makes them"; exit 77; }
sources=$2
skip() { printf 'SKIPPED: %s\n' "$1"; exit 77; }
fail() { printf '%s\n' "$@"; exit 1; }
ls "$packages"/*.deb >/dev/null 2>&1 || skip "there are no packages in $packages; \`./bootstrap package\` makes them"
[ "$(id -u)" -eq 0 ] || skip "only root can install packages in a root of its own"
for program in mmdebstrap lintian unshare; do
  command -v "$program" >/dev/null || skip "there is no $program here"
done
# What is mounted below goes when this process ends.
[ -n "${TUNER_OWN_MOUNTS:-}" ] || TUNER_OWN_MOUNTS=1 exec unshare --mount -- "$0" "$@"

lintian --fail-on error "$packages"/*.deb

work=$(mktemp -d)
# Nothing is removed while something of this machine is mounted in it.
clean_up() {
  local place
  for place in proc dev usr/local/cuda; do
    if mountpoint -q "$work/root/$place"; then umount -R -l "$work/root/$place" || return; fi
  done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
root=$work/root
mmdebstrap --quiet --mode=root --variant=apt bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" ||
  skip "no root of Debian 12 could be made from ${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/packages" "$root/consumer"
cp "$packages"/*.deb "$root/packages/"
cp "$sources/tests/consumer/main.cpp" "$sources/tests/consumer/find_package/CMakeLists.txt" \
  "$sources/tests/data/decisions-format-1.sqlite" "$root/consumer/"

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
as_ada() { chroot --userspec=ada:ada "$root" env -i PATH=/usr/bin:/bin HOME=/home/ada LANG=C.UTF-8 "$@"; }
install_quietly() { inside apt-get install -y -qq --no-install-recommends "$@" >"$work/apt.log" 2>&1 || fail "$(cat "$work/apt.log")"; }
has() { grep -F -- "$2" <<<"$1" >/dev/null || fail "not said: $2" "$1"; }
in_root() { (cd "$root" && printf '/%s' packages/"$1"*.deb); }  # in_root PREFIX: the package of this name, as the root has it
inside useradd --create-home ada

inside apt-get update -qq

# From nothing to a report.
kernels=/usr/share/tuner/kernel_sources
begin=$(date +%s.%N)
install_quietly "$(in_root tuner_)" "$(in_root libtuner0.1_)"
installed=$(date +%s.%N)
report=$(as_ada tuner tune "$kernels/prefetch.cu" --replay "$kernels/recordings/prefetch__H200.csv")
end=$(date +%s.%N)
has "$report" "/home/ada/.local/share/tuner/replay.db"
awk -v a="$begin" -v b="$installed" -v c="$end" -v n="$(du -shc "$packages"/*.deb | tail -n 1 | cut -f1)" \
  'BEGIN { printf "FIGURE: apt-get install %.1f s, replay %.1f s, from apt-get install to the report %.1f s; the packages are %s\n", b - a, c - b, c - a, n }'

# What is missing here, and what to do about it; then with a toolkit.
doctor=$(as_ada tuner doctor) && fail "tuner doctor is content without a toolkit" "$doctor"
has "$doctor" "NO   toolkit"
has "$doctor" "compute/cuda/repos/debian12/"
has "$doctor" "ok   worker       /usr/libexec/tuner/tuner-worker"
has "$doctor" "ok   engine       /usr/libexec/tuner/tuner-engine"
has "$doctor" "there is no /etc/tuner/decisions.db"
toolkit=$(readlink -f "${CUDA_HOME:-/usr/local/cuda}")
[ -d "$toolkit" ] || skip "there is no CUDA toolkit in /usr/local/cuda or CUDA_HOME; all before it was checked"
mkdir -p "$root/usr/local/cuda"
mount --bind "$toolkit" "$root/usr/local/cuda"
mount -o remount,bind,ro "$root/usr/local/cuda"
has "$(as_ada tuner doctor || true)" "ok   toolkit"
has "$(as_ada tuner check "$kernels/prefetch.cu" --problem rows=528,row_length=65536 --compile 4 --arch sm_90)" "prefetch"

# A database for all users of the machine.
inside tuner import /consumer/decisions-format-1.sqlite --db /etc/tuner >/dev/null
chmod -R a+rX "$root/etc/tuner"
has "$(as_ada tuner doctor || true)" "ok   system       /etc/tuner/decisions.db with "

# Somebody's program.
install_quietly "$(in_root libtuner-dev_)" g++ cmake make
inside cmake -S /consumer -B /consumer/build -DPROGRAM=/consumer/main.cpp >"$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"
inside cmake --build /consumer/build >"$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"
as_ada /consumer/build/consumer

# Manual pages and completion.
for file in man/man1/tuner.1.gz bash-completion/completions/tuner doc/tuner/html/index.html; do
  [ -e "$root/usr/share/$file" ] || fail "not installed: /usr/share/$file"
done
install_quietly man-db
has "$(as_ada man -P cat tuner-tune)" "--replay"
has "$(as_ada bash -c 'source /usr/share/bash-completion/completions/tuner
  COMP_LINE="tuner doc" COMP_WORDS=(tuner doc) COMP_CWORD=1
  _tuner tuner doc tuner 2>/dev/null
  printf "%s\n" "${COMPREPLY[@]}"')" "doctor"

# Nothing stays but databases.
inside dpkg -L tuner libtuner0.1 libtuner-dev | sort -u >"$work/files"
inside apt-get purge -y -qq tuner libtuner0.1 libtuner-dev >"$work/apt.log" 2>&1 || fail "$(cat "$work/apt.log")"
while read -r file; do
  if [ -f "$root$file" ] || [ -L "$root$file" ]; then fail "left behind: $file"; fi
done <"$work/files"
[ "$(wc -l <"$work/files")" -gt 100 ] || fail "the packages have few files" "$(cat "$work/files")"
left=$(find "$root" -xdev -name '*tuner*' -not -path "$root/packages*" -not -path "$root/consumer*" -not -path "$root/var/log/*" -printf '/%P\n' | sort)
expected=$(printf '%s\n' /etc/tuner /home/ada/.cache/tuner /home/ada/.local/share/tuner | sort)
[ -z "$(comm -23 <(printf '%s\n' "$left") <(printf '%s\n' "$expected"))" ] || fail "left behind:" "$left"
echo "installed, used and removed; databases are left in /home/ada and /etc/tuner"
