#!/bin/bash
# gate.sh RING...: every ring, two at a time, each with its own log; fails if one of them does.
# PYTEST_ARGS goes to pytest in each of them.
set -euo pipefail
cd -P "$(dirname "$0")/.."
logs=$(realpath -m "${SUPERPOSE_CACHE:-.cache}")/logs
rm -rf "$logs"
mkdir -p "$logs"
export logs

log_of() { echo "$logs/$(tr / _ <<<"${1#/}").log"; }

run() {
  local log start=$SECONDS verdict=ok
  log=$(log_of "$1")
  # shellcheck disable=SC2086 # the arguments are words
  workshop/ring.sh "$1" ${PYTEST_ARGS:-} >"$log" 2>&1 || verdict="FAILED (exit $?)"
  echo "$verdict" >"$log.verdict"
  [ "$verdict" = ok ] || { echo "---- $1: last lines of $log"; tail -n 60 "$log"; }
  echo "$1: $verdict, $((SECONDS - start)) s"
}

export -f log_of run
[ $# -gt 0 ] || { echo "gate.sh: no ring is named" >&2; exit 2; }
printf '%s\n' "$@" | xargs -P 2 -I{} bash -c 'run {}'

echo
echo "The rings:"
failed=0
for ring; do
  log=$(log_of "$ring")
  verdict=$(cat "$log.verdict" 2>/dev/null || echo "FAILED (did not run)")
  printf '  %-32s %-20s %s\n' "$ring" "$verdict" "$(grep -E '^SKIPPED:|^=* ?[0-9]+ (passed|failed|skipped|error).* in ' "$log" | tail -n 1 | tr -d =)"
  [ "$verdict" = ok ] || failed=1
done

echo
echo "The slowest tests:"
grep -hE '^[0-9.]+s (call|setup|teardown) ' "$logs"/*.log | sort -rn | head -n 20 || true
exit $failed
