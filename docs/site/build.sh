#!/usr/bin/env bash
# Writes the manual as pages for a browser: README.md and docs/ by pandoc, with a search that needs no server.
#   docs/site/build.sh OUT_FOLDER
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "$0")/../.."
site=docs/site
command -v pandoc >/dev/null || { echo "docs/site/build.sh: there is no pandoc here; install the package pandoc" >&2; exit 1; }

html_of() { [[ $1 == README.md ]] && echo index.html || echo "${1%.md}.html"; }
title_of() { sed -n 's/^# //; T; s/`//g; p; q' "$1"; }
escaped() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' <<<"$1"; }

pages=(README.md docs/tutorial.md)
for page in docs/*.md docs/kernels/*.md docs/results/*.md docs/decisions/*.md; do
  [[ $page == docs/tutorial.md ]] || pages+=("$page")
done
rm -rf "$out"
mkdir -p "$out"

# A list of the pages in each group, for a page from which ROOT leads to the first one.
navigation() {  # navigation ROOT CURRENT_PAGE
  local group=-- page of here
  for page in "${pages[@]}"; do
    of=${page%/*}
    [[ $page == */* ]] || of=docs
    if [[ $of != "$group" ]]; then
      [[ $group == -- ]] || echo '</ul></details>'
      group=$of
      case $of in
        docs) echo '<details open><summary>Manual</summary><ul>' ;;
        *)
          of=${of#docs/} here=
          [[ $2 != "$group"/* ]] || here=' open'
          echo "<details$here><summary>${of^}</summary><ul>"
          ;;
      esac
    fi
    here=
    [[ $page != "$2" ]] || here=' aria-current="page"'
    echo "<li><a href=\"$1${addresses[$page]}\"$here>${labels[$page]}</a></li>"
  done
  echo '</ul></details>'
}
declare -A titles labels addresses
for page in "${pages[@]}"; do
  titles[$page]=$(title_of "$page")
  labels[$page]=$(escaped "${titles[$page]}")
  addresses[$page]=$(html_of "$page")
done

TUNER_PAGES=$(printf '%s\n' "${pages[@]}")
export TUNER_PAGES TUNER_PAGE TUNER_INDEX=$out/search-index.js
echo 'const searchIndex = [' >"$TUNER_INDEX"
for TUNER_PAGE in "${pages[@]}"; do
  html=${addresses[$TUNER_PAGE]}
  root=$(dirname "$html" | sed 's#^\.$##; s#[^/]\{1,\}#..#g; s#$#/#; s#^/$##')
  mkdir -p "$out/$(dirname "$html")"
  pandoc --from gfm --to html5 --standalone --no-highlight --wrap none --toc --toc-depth 3 \
    --template "$site/page.html" --lua-filter "$site/page.lua" --metadata "pagetitle=${titles[$TUNER_PAGE]}" \
    --variable "root=$root" --variable "navigation=$(navigation "$root" "$TUNER_PAGE")" \
    --output "$out/$html" "$TUNER_PAGE"
done
echo '];' >>"$TUNER_INDEX"
mkdir -p "$out/docs/pictures"
cp docs/pictures/*.svg "$out/docs/pictures/"
cp "$site/page.css" "$site/search.js" "$out/"
echo "$out/index.html"
