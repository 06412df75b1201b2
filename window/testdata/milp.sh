#!/usr/bin/env bash
# Compares the exact solver of package window with GLPK's branch and cut, on 60
# problems (1) with real numbers, to 1e-7 of the value. A time-out is a failure.
# Needs glpsol (Debian: glpk-utils). No part of go test.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
BOOKAHEAD_MILP=$folder go test -count 1 -run '^TestExportMILP$' . >/dev/null
passed=0 failed=0
while read -r name want; do
  glpsol --lp "$folder/$name" --mipgap 0 --tmlim 60 --output "$folder/out" >"$folder/log"
  got=unknown
  if grep -q 'TIME LIMIT EXCEEDED' "$folder/log"; then
    got='time-out'
  elif grep -q '^Status: *INTEGER OPTIMAL' "$folder/out"; then
    got=$(sed -n 's/^Objective: *value = \([^ ]*\) .*/\1/p' "$folder/out")
  elif grep -Eq 'HAS NO (PRIMAL|INTEGER)? *FEASIBLE|INTEGER EMPTY' "$folder/log" "$folder/out"; then
    got=none
  fi
  if [ "$got" = "$want" ] || awk -v a="$got" -v b="$want" 'BEGIN { d = a - b; exit !(a + 0 == a && b + 0 == b && d * d <= 1e-14 * b * b) }'; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name: GLPK $got, Exact $want"
  fi
done <"$folder/answers"
echo "milp: $passed passed, $failed failed"
[ "$failed" = 0 ]
