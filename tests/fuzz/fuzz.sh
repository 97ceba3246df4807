#!/usr/bin/env bash
# Looks for inputs that vfilter does not survive, or lies about: libFuzzer makes them up, from small files of each kind.
#
#   tests/fuzz/fuzz.sh [SECONDS [FUZZER...]]    60 seconds each of containers packets words runs
#
# Builds build/fuzz with clang (CC and CXX choose which). What reached new branches is kept in build/fuzz/corpus, for the next
# time; what failed in build/fuzz/findings. The fuzzer with such a file as its argument does it again.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

seconds=${1:-60}
shift || true
(($#)) || set -- containers packets words runs

CC=${CC:-clang} CXX=${CXX:-clang++} cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${@/%/_fuzz}" --parallel "$(nproc)"
cd build/fuzz
mkdir -p clips findings
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
LSAN_OPTIONS=suppressions=$(readlink -f ../../tests/lsan.supp):print_suppressions=0
export LSAN_OPTIONS

# clip NAME ARGUMENT...: a small video with sound, a second long.
clip() {
    [[ -f clips/$1 ]] || ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=64x48:r=25:d=0.8 -f lavfi -i sine=r=8000:d=0.8 \
        -pix_fmt yuv420p -g 5 -threads 1 "${@:2}" "clips/$1"
}
make_clips() {
    local x264=(-c:v libx264 -preset ultrafast) x265=(-c:v libx265 -preset ultrafast -x265-params log-level=error)
    clip a.mp4 "${x264[@]}" -bf 2
    clip b.mp4 "${x264[@]}" -movflags frag_keyframe+empty_moov -an
    clip a.mkv "${x265[@]}" -an
    clip b.mkv -c:v mpeg4 -c:a libmp3lame
    clip a.ts "${x264[@]}" -bf 2 -x264-params open-gop=1 -an
    clip b.ts "${x265[@]}" -bf 2
    clip c.ts -c:v mpeg2video -bf 2 -c:a mp2
    clip a.webm -c:v libvpx -deadline realtime -an
    clip b.webm -c:v libvpx-vp9 -deadline realtime -an
    clip a.avi -c:v mjpeg -c:a pcm_u8
    clip b.avi -c:v mpeg4 -an
    clip a.ogv -c:v libtheora -c:a libvorbis -ar 16000
    clip a.flv -c:v flv1 -an
    clip a.wmv -c:v wmv2 -c:a wmav2
    clip a.gif -pix_fmt pal8 -r 10
    clip a.y4m -s 16x16 -an -strict -1
    clip a.ivf -c:v libvpx -deadline realtime -an
    clip a.nut -c:v mpeg4 -c:a pcm_u8
    clip a.apng -pix_fmt rgb24 -an
    clip a.dv -s 720x576 -frames:v 2 -ar 48000 -ac 2
    clip a.mxf -c:v mpeg2video -an
    clip a.tif -frames:v 1 -pix_fmt gray -an -compression_algo raw
    clip a.jpg -frames:v 1 -an
}

# seed FUZZER NAME BYTES FILE: a file behind bytes, as printf has them.
seed() {
    mkdir -p "seeds/$1"
    { printf "$3" && cat "$4"; } >"seeds/$1/$2"
}
seeds_of_containers() {
    local number=0 kind file
    for kind in 'mp4' 'mkv webm' avi 'ogv' flv ts gif y4m ivf wmv nut apng dv mxf tif jpg; do
        for extension in $kind; do
            for file in clips/*."$extension"; do
                seed containers "${file##*/}" "\\x$(printf %02x $number)\\x40" "$file"
            done
        done
        number=$((number + 1))
    done
}
# Packets of 1 + 4 N bytes each, with their lengths in front, from streams with start codes.
seeds_of_packets() {
    local number=0 codec
    for codec in h264 hevc; do
        ffmpeg -nostdin -v error -y -i "clips/$([[ $codec == h264 ]] && echo a || echo b).ts" -map v -c copy -f "$codec" "clips/$codec"
        mkdir -p seeds/packets
        python3 - "clips/$codec" $number >"seeds/packets/$codec" <<'P'
import re, sys
data = open(sys.argv[1], "rb").read()
out = bytes([int(sys.argv[2]), 0])
for unit in re.split(b"(?=\0\0\1)", data)[1:]:
    unit = unit[:1021] + bytes(-(len(unit[:1021]) - 1) % 4)
    out += bytes([1, 2, (len(unit) - 1) // 4]) + unit
sys.stdout.buffer.write(out)
P
        number=$((number + 1))
    done
}
seeds_of_words() {
    mkdir -p seeds/words
    local words=$'in.mp4\nout.mkv\n--gaussian\n5:sigma=1.2\n--region\n10,20,30%,40%+1,2,3,4\n--sharpen\n--crf\n20\n--vf\nscale=320:-2\n--start\n1:02.5\n--end\n50f'
    printf '\0%s' "$words" >seeds/words/options
    printf '\0-ss\n5\n-i\nin.mp4\n-c:v\nlibx264\n-vf\nhflip\n-b:v\n2M\nout.mp4' >seeds/words/ffmpeg
    printf '\1input = "in.mp4"\noutput = "out.mkv"\ncrf = 20\n[[filter]]\nname = "gaussian"\nsize = 5\nregion = "1,2,3,4"\n' >seeds/words/configuration
    printf '\2time,id,left,top,width,height\n0.5,1,10,20,30,40\n1.5,1,12,22,30,40\n' >seeds/words/tracks
    printf '\2%s\n%s\n' '1,1,10,20,30,40,1,-1,-1,-1' '2,1,11,21,30,40,1,-1,-1,-1' >seeds/words/challenge
    printf '\0033,4,5%%,6%%+7,8,9,10' >seeds/words/rectangles
}
seeds_of_runs() {
    mkdir -p seeds/runs
    cp clips/*.* seeds/runs
    rm -f seeds/runs/*.dv # large, and all alike
}

make_clips
failed=()
# FFmpeg's demuxer takes what a fragment of an mp4 promises: some gigabytes, which are no finding.
for fuzzer; do
    "seeds_of_$fuzzer"
    mkdir -p "corpus/$fuzzer"
    echo "== $fuzzer, $seconds s"
    "tests/${fuzzer}_fuzz" "corpus/$fuzzer" "seeds/$fuzzer" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=8192 -max_len=65536 \
        -artifact_prefix=findings/ -print_final_stats=1 2>"$fuzzer.log" || failed+=("$fuzzer")
    grep -E '^(demanded|==.*ERROR|SUMMARY|Test unit written|stat::(number_of_executed|average_exec))|cov: .*DONE|runtime error' "$fuzzer.log" || true
done
rm -f "/dev/shm/vfilter-fuzz-"*
[[ ! ${failed[*]} ]] || {
    echo "findings of: ${failed[*]}" >&2
    exit 1
}
