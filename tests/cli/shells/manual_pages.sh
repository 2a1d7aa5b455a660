#!/usr/bin/env bash
# The manual pages have no mistakes that a formatter or a checker finds.   manual_pages.sh MAN_FOLDER
set -euo pipefail
cd "$1"
checked=0
if command -v mandoc >/dev/null; then
  mandoc -T lint -W style ./*.1
  checked=1
fi
if command -v groff >/dev/null; then
  for page in ./*.1; do
    said=$(groff -ww -man -T ascii -z -rLL=72n "$page" 2>&1)
    [[ -z $said ]] || { printf '%s\n' "$page: $said"; exit 1; }
  done
  shown=$(groff -man -T ascii -P-c -P-bou tuner-tune.1)
  [[ $shown == *'--stop-when-gain-below 2%'* ]] || { printf '%s\n' "$shown"; exit 1; }
  checked=1
fi
if ((!checked)); then
  echo 'SKIPPED: there is neither mandoc nor groff here'
  exit 77
fi
