#!/usr/bin/env bash
# Whether exit code 0 can be believed: damage_runs with the program, both as they are built.
#
#   tests/damage/damage.sh [options of damage_runs] [CLIP...]
#
# Without clips one is made: scenes that move, cuts between them, noise and sound.
#
# VFILTER_BUILD  the folder in which they were built; build/release without it
set -euo pipefail
root=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..")
build=${VFILTER_BUILD:-$root/build/release}

clips=0
value=
for argument; do
    if [[ $value ]]; then
        value=
    elif [[ $argument == --@(rounds|jobs|times|only|keep) ]]; then
        value=1
    elif [[ $argument != -* ]]; then
        clips=$((clips + 1))
    fi
done
# As ctest keeps it started, if it does: see tests/witness/server.c.
export VFILTER=$build/vfilter
program=$VFILTER
[[ -S $build/tests/w/vfilter ]] && program=$build/tests/witness/vfilter
((clips)) && exec "$build/tests/damage_runs" "$program" "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scene=s=160x90:r=25
ffmpeg -nostdin -v error -f lavfi -i "testsrc2=$scene:d=1" -f lavfi -i "mandelbrot=$scene,trim=duration=1.1" \
    -f lavfi -i "life=$scene:mold=10:ratio=0.1:death_color=#C83232:life_color=#00ff00:seed=7,trim=duration=0.7" \
    -f lavfi -i "smptehdbars=$scene:d=0.9,rotate=t" -f lavfi -i "sine=440:beep_factor=3:d=3.7" \
    -filter_complex "[0][1][2][3]concat=n=4,noise=alls=12:allf=t:all_seed=3" -map 4 \
    -threads 1 -c:v ffv1 -pix_fmt yuv420p -c:a pcm_s16le -ac 2 "$work/clip.mkv"
"$build/tests/damage_runs" "$program" "$@" "$work/clip.mkv"
