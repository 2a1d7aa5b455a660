# For the scripts beside it.

# The median of the numbers on standard input; "-" of none.
median() {
  sort -n | awk '{ v[NR] = $1 } END { print NR == 0 ? "-" : (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}
