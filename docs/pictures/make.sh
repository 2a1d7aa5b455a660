#!/usr/bin/env bash
# Draws the pictures of README.md from the recording that is shipped: session.svg, what the terminal shows of its
# replay, and space.svg, each configuration as a point. The same recording gives the same pictures.
#   docs/pictures/make.sh [TUNER] [OUTPUT_FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."
tuner=$(realpath "${1:-build/release/bin/tuner}")
out=$(realpath "${2:-docs/pictures}")
recording=kernel_sources/recordings/prefetch__H200.csv
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT

# session: lines of text as a terminal of 100 columns; longer ones go on below, indented.
session() {
  local command="tuner tune kernel_sources/prefetch.cu --replay $recording"
  {
    printf '$ %s\n' "$command"
    TUNER_DB=$database "$tuner" tune kernel_sources/prefetch.cu --replay "$recording" 2>/dev/null |
      awk '/^Tied with/ { exit } { print }'
  } | awk '
    function line(text) { lines[++n] = text }
    function emit(text,   i, first) {
      first = 1
      while (length(text) > 100) {
        for (i = 100; i > 40 && substr(text, i, 1) != " "; --i) {}
        if (i == 40) i = 100
        line(substr(text, 1, i - 1))
        text = "             " substr(text, i + 1)
      }
      line(text)
    }
    { emit($0) }
    END {
      while (n > 0 && lines[n] == "") --n
      height = 24 + 18 * n + 14
      printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 %d\" role=\"img\" aria-label=\"A terminal session\">\n", height
      printf "<rect width=\"760\" height=\"%d\" rx=\"6\" fill=\"#14171b\"/>\n", height
      printf "<g font-family=\"ui-monospace, DejaVu Sans Mono, monospace\" font-size=\"12\" fill=\"#e6e9ed\">\n"
      for (i = 1; i <= n; ++i) {
        text = lines[i]
        gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
        colour = text ~ /^\$/ || text ~ /^  (time|speed-up) / ? " fill=\"#45c98f\"" : ""
        printf "<text x=\"16\" y=\"%d\" xml:space=\"preserve\"%s>%s</text>\n", 14 + 18 * i, colour, text
      }
      print "</g>\n</svg>"
    }' >"$out/session.svg"
}

# space: the time of each configuration over its strategy; those of one strategy stand beside each other.
space() {
  grep -v '^#' "$recording" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["status"] != "ok" { next }
    {
      strategy = $at["STRATEGY"]; ms = $at["time_ms"]
      if (!(strategy in place)) { place[strategy] = ++strategies; name[strategies] = strategy }
      ++n; of[n] = place[strategy]; time[n] = ms
      if (n == 1) baseline = ms
      if (n == 1 || ms < best) best = ms
      if (ms > most) most = ms
    }
    function y(ms) { return 330 - 300 * log(ms / (0.95 * best)) / log(1.05 * most / (0.95 * best)) }
    function level(ms, colour, words) {
      printf "<line x1=\"60\" x2=\"750\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-dasharray=\"5 4\"/>\n", y(ms), y(ms), colour
      printf "<text x=\"748\" y=\"%.1f\" text-anchor=\"end\" fill=\"%s\">%s: %.0f us</text>\n", y(ms) - 5, colour, words, 1000 * ms
    }
    END {
      print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 380\" role=\"img\" aria-label=\"Time of each configuration by strategy\">"
      print "<rect width=\"760\" height=\"380\" rx=\"6\" fill=\"#ffffff\"/>"
      print "<g font-family=\"system-ui, sans-serif\" font-size=\"11\" fill=\"#5b6470\">"
      printf "<text x=\"60\" y=\"18\">%d configurations of prefetch.cu on an NVIDIA H200; time, logarithmic</text>\n", n
      for (tick = 0.2; tick < most; tick *= 2) {
        if (tick < 0.95 * best) continue
        printf "<line x1=\"60\" x2=\"750\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#d5d9df\"/><text x=\"54\" y=\"%.1f\" text-anchor=\"end\">%.1f ms</text>\n", y(tick), y(tick), y(tick) + 4, tick
      }
      width = 690 / strategies
      for (i = 1; i <= n; ++i) {
        x = 60 + width * (of[i] - 1) + width * (0.15 + 0.7 * ((i * 7919) % 1000) / 1000)
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\" fill=\"#2f6fb5\" fill-opacity=\"0.5\"/>\n", x, y(time[i])
      }
      for (i = 1; i <= strategies; ++i)
        printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", 60 + width * (i - 0.5), i % 2 ? 350 : 366, name[i]
      level(baseline, "#b3372b", "the baseline")
      level(best, "#0a7d4f", "the fastest")
      print "</g>\n</svg>"
    }' >"$out/space.svg"
}

session
space
