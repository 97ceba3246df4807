#!/bin/bash
# Many short files through `vfilter --output-dir`, killed (-9) at random moments and begun again with --skip-existing: in the
# end each file has the bytes of an undisturbed run, none was done twice, and nothing else is left.
#
#   tests/batch.sh [--files N] [--kills N] [--jobs N] VFILTER
set -euo pipefail
export LC_ALL=C  # awk writes fractions for sleep

files=200
kills=5
jobs=2
while [[ ${1-} == --* ]]; do
    case $1 in
        --files) files=$2 ;;
        --kills) kills=$2 ;;
        --jobs) jobs=$2 ;;
        *) echo "unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
vfilter=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "FAILED: $*" >&2; exit 1; }

mkdir in done
ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=96x64:r=25:d=$((files / 5 + 1)) -c:v libx264 -preset ultrafast -g 5 -f segment -segment_format mp4 \
    -segment_time 0.2 -reset_timestamps 1 in/c%03d.mp4
mapfile -t inputs < <(printf '%s\n' in/*.mp4 | head -n "$files")
((${#inputs[@]} == files)) || fail "only ${#inputs[@]} clips"
options=(--gaussian 5 --threads 1 --encoder-option threads=1 --jobs "$jobs" -q)

"$vfilter" "${inputs[@]}" --output-dir whole "${options[@]}"
finished_files() { find done -name '*.mp4' ! -name '.*' 2>/dev/null | wc -l; }

# Each kill comes in its share of the files, of which the last one leaves some.
done_before=0
for ((kill = 1; kill <= kills; ++kill)); do
    "$vfilter" "${inputs[@]}" --output-dir done --skip-existing "${options[@]}" &
    run=$!
    until (($(finished_files) >= files * (10 * kill - RANDOM % 9) / (10 * (kills + 1)))) || ! kill -0 "$run" 2>/dev/null; do
        sleep 0.01
    done
    kill -9 "$run" 2> /dev/null || fail "the run was over before it was killed"
    wait "$run" 2> /dev/null || true
    # Its children die with it, but not at once: what they hold would be taken for another run's work.
    for part in done/.*.part; do
        [[ ! -f $part ]] || flock -w 20 "$part" true || true
    done
    done_now=$(finished_files)
    left=$(find done -name '.*.part' 2> /dev/null | wc -l)
    echo "kill $kill: $done_now files, $left unfinished"
    ((done_now >= done_before)) || fail "files are gone"
    done_before=$done_now
done
((done_before < files)) || fail "all were finished before the last kill"
"$vfilter" "${inputs[@]}" --output-dir done --skip-existing "${options[@]}"

hashes() { (cd "$1" && sha256sum -- *.mp4); }
diff <(hashes whole) <(hashes done) > /dev/null || fail "other bytes than an undisturbed run's"
extra=$(find done -mindepth 1 ! -name '*.mp4' ! -name .vfilter-batch -o -name '.*.mp4*' | head -n 1)
[[ -z $extra ]] || fail "left: $extra"
# A line with a code for each file that got its name.
finished=$(grep -c '"code":0' done/.vfilter-batch)
begun=$(grep -c '"code":-1' done/.vfilter-batch)
twice=$(grep '"code":0' done/.vfilter-batch | cut -d'"' -f4 | sort | uniq -d | wc -l)
echo "$files files: begun $begun times, checked $finished times"
((finished == files && twice == 0)) || fail "$twice files were done twice"
((begun - files <= kills * jobs)) || fail "$begun files were begun, of $files"
"$vfilter" "${inputs[@]}" --output-dir done --skip-existing "${options[@]}" --progress json 2>&1 |
    grep -c '"result":"finished before"' | grep -qx "$files" || fail "not all are known as finished"
echo "equal to an undisturbed run"
