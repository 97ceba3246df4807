#!/usr/bin/env bash
# Hashes of filtered pictures, to hold two versions of the program against each other:
#
#   tests/hashes.sh PROGRAM [DEVICE] >FILE
#
# One line for each of 546 cases: filter, pixel format, size, border, region, and the hash of all frames. The inputs are
# made on the spot, the same each time. The bytes do not depend on the device (cpu, cuda), so two files of any programs
# and devices must be equal: diff them.
set -euo pipefail

program=$(readlink -f "${1:?the program, such as build/release/vfilter}") device=${2:-cpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

formats=(yuv420p yuv422p yuv444p nv12 gray gbrp yuva420p yuv420p10le p010le yuv444p12le gray14le gbrp16le gray16le)
sizes=(67x43 162x121 641x34)
filters=(gaussian=3 gaussian=5 gaussian=9:sigma=2 gaussian=31 gaussian=sigma=14 gaussian=sigma=60 box=5 box=31
    motion=15:direction=y sharpen=0.8:sigma=1.2:threshold=3 sobel=scale=0.5 laplacian=8:scale=0.5:bias=40
    dog=1:sigma2=2:scale=4 'kernel=1 2 3; 4 5 6; 7 8 10')
borders=(reflect_101 reflect replicate constant wrap)
regions=('' '' region=20%,20%,50%,60%:feather=5 region=3,1,30,20+10,9,40,22:invert=1)

for format in "${formats[@]}"; do
    for size in "${sizes[@]}"; do
        ffmpeg -v error -f lavfi -i "testsrc2=s=$size:r=5:d=0.6,noise=alls=40:all_seed=7:allf=t" -sws_flags +accurate_rnd+bitexact \
            -pix_fmt "$format" -c:v rawvideo -f nut -y "$work/$format.$size.nut"
    done
done

run() { # NUMBER FORMAT SIZE FILTER BORDER REGION
    local name=${4%%=*} arguments=${4#*=} hash
    # A case that fails has no line, and the count below tells.
    hash=$("$program" "$work/$2.$3.nut" - --device "$device" "--$name" "$arguments:border=$5${6:+:$6}" \
        --format framehash --codec rawvideo --log-level error --progress none | grep -v '^#' | sha256sum)
    printf '%03d %s %s %s %s %s %s\n' "$1" "$4" "$2" "$3" "$5" "${6:-everywhere}" "${hash%% *}"
}

number=0 running=0
for format in "${formats[@]}"; do
    for size in "${sizes[@]}"; do
        for filter in "${filters[@]}"; do
            border=${borders[number % ${#borders[@]}]} region=${regions[number % ${#regions[@]}]}
            run "$number" "$format" "$size" "$filter" "$border" "$region" >"$work/$(printf %03d "$number").case" &
            ((++number, ++running >= $(nproc))) && wait -n && ((--running))
        done
    done
done
wait
cat "$work"/*.case
lines=$(cat "$work"/*.case | wc -l)
((lines == number)) || { echo "hashes.sh: $((number - lines)) of $number cases failed" >&2; exit 1; }
