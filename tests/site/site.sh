#!/usr/bin/env bash
# Builds the pages of the manual, follows every link in them, and searches them where there is a browser.
#   site.sh SOURCE_FOLDER
set -euo pipefail
if ! command -v pandoc >/dev/null; then
  echo 'SKIPPED: there is no pandoc here'
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1/docs/site/build.sh" "$folder/the site" >/dev/null
cd "$folder/the site"
failures=0
failed() { printf 'FAILED: %s\n' "$1"; failures=$((failures + 1)); }

# "PAGE ID" of every place that a link may lead to.
mapfile -t pages < <(find . -name '*.html' -printf '%P\n' | sort)
declare -A places resolved
while read -r place; do places[$place]=1; done < <(grep -o ' id="[^"]*"' "${pages[@]}" | sed 's/: id="/ /; s/"$//')
[[ ${#pages[@]} -gt 40 ]] || failed "there are only ${#pages[@]} pages"

grep -oE '(href|src)="[^"]*"' "${pages[@]}" | sed -E 's/:(href|src)="/ /; s/"$//' | grep -vE ' (https?|mailto):' | sort -u >"$folder/links"
while read -r page link; do
  target=$page
  if [[ -n ${link%%#*} ]]; then
    from=.
    [[ $page != */* ]] || from=${page%/*}
    path=$from/${link%%#*}
    # Most links are those of the navigation, the same on each page of a folder.
    [[ -n ${resolved[$path]-} ]] || resolved[$path]=$(realpath -m --relative-to=. "$path")
    target=${resolved[$path]}
  fi
  [[ -f $target ]] || failed "$page: $link leads to no file"
  [[ $link != *#* || -n ${places["$target ${link#*#}"]-} ]] || failed "$page: $link leads to no heading"
done <"$folder/links"
[[ $(wc -l <"$folder/links") -gt 1000 ]] || failed 'there are too few links to be all of them'

# Every option that the manual has is on the page of the program, and can be found.
for option in $(grep -oE '^\| `-{1,2}[A-Za-z-]+' "$1/docs/cli.md" | sed 's/^| `//' | sort -u); do
  grep -qF -- "<code>$option" docs/cli.html || failed "docs/cli.html has no $option"
  grep -qF -- "$option" search-index.js || failed "the index has no $option"
done

if command -v chromium >/dev/null; then
  found=$(HOME=$folder chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage \
    --virtual-time-budget=20000 --dump-dom \
    "file://${PWD// /%20}/docs/kernels/sgemm.html?q=quarantined+forgotten" 2>/dev/null)
  grep -qF '<a href="../../docs/cli.html#prune">prune</a>' <<<"$found" || failed 'a search in the browser does not find `prune`'
fi
exit $((failures > 0))
