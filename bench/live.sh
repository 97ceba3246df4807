#!/usr/bin/env bash
# A camera for as long as one likes: latency, drops and memory of a live run, next to what vfilter promises.
#
#   bench/live.sh SIZE RATE SECONDS LIMIT_MS [VFILTER OPTIONS...]
#
#   bench/live.sh 1280x720 30 600 33.3 --device cpu --gaussian 15             # two cores without a GPU
#   bench/live.sh 1920x1080 60 600 4 --device cuda --gaussian 31              # an H200
#   xvfb-run bench/live.sh 1280x720 30 600 33.3 --device cpu --gaussian 15 --preview
#
# LIMIT_MS is for the 99th percentile of received to ready to show. Exits with 1 where a promise is not kept.
# VFILTER  the program; build/release/vfilter without it
set -euo pipefail
(($# >= 4)) || { sed -n '2,12p' "$0"; exit 2; }
size=$1 rate=$2 seconds=$3 limit=$4
shift 4
vfilter=${VFILTER:-$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../build/release/vfilter}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$vfilter" "lavfi:testsrc2=s=$size:r=$rate" - --live --format null --duration "$seconds" --progress none --stats \
    --report "$work/report.json" "$@" 2>"$work/stderr" &
process=$!
# Resident memory once a second; what it takes to get going is left out.
warm=$((seconds > 30 ? 10 : seconds / 3))
while sleep 1 && [[ -r /proc/$process/statm ]]; do
    read -r _ pages _ <"/proc/$process/statm" && echo "$pages $(find "/proc/$process/fd" 2>/dev/null | wc -l)"
done >"$work/memory" 2>/dev/null || true
wait "$process" || { cat "$work/stderr"; exit 1; }
cat "$work/stderr"

value() { grep -A 5 "\"$1\": {" "$work/report.json" | grep -m 1 "\"$2\"" | grep -o '[0-9.]*' | tail -n 1; }
awk -v warm="$warm" -v page="$(getconf PAGESIZE)" -v p99="$(value ready p99)" -v limit="$limit" \
    -v dropped="$(value frames dropped)" -v in_="$(value frames in)" -v wanted="$((rate * seconds))" \
    -v undecoded="$(value drops undecoded)" '
    NR == warm { first = $1; handles = $2 }
    NR > warm { last = $1; max_handles = $2 > max_handles ? $2 : max_handles }
    function line(what, value, sign, bound, kept) { printf "%-44s %10s %s %-8s %s\n", what, value, sign, bound, kept ? "ok" : "MISS"; bad += !kept }
    END {
        line("ready, 99th percentile, ms", sprintf("%.2f", p99), "<=", limit, p99 <= limit)
        line("pictures received", in_, ">=", wanted - 1, in_ >= wanted - 1)
        line("pictures dropped", dropped + undecoded, "<=", 0, dropped + undecoded == 0)
        line("resident memory, last / first", sprintf("%.4f", last / first), "<=", 1.01, last / first <= 1.01)
        line("open files and devices, most - first", max_handles - handles, "<=", 0, max_handles <= handles)
        printf "resident: %.1f MiB after %d s, %.1f MiB in the end\n", first * page / 1048576, warm, last * page / 1048576
        exit bad > 0
    }' "$work/memory"
