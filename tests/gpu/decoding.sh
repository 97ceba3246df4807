# shellcheck shell=bash
# Steps of ../gpu.sh: decoding by hardware, whole files, damaged ones, random clips, and by several devices.
# shellcheck disable=SC2154  # work, clip: gpu.sh

# Decoding by hardware against the CPU: every picture's hash, time and number, and what damage was told. A row: the file,
# where it has to be decoded, and how ffmpeg makes it.
decode_clips=(
    'closed.mp4 gpu -c:v libx264 -preset veryfast -g 60'
    'short-gop.mp4 gpu -c:v libx264 -preset veryfast -g 15 -bf 0'
    'open.mp4 gpu -c:v libx264 -preset veryfast -g 60 -x264-params open-gop=1'
    'pyramid.ts gpu -c:v libx264 -preset veryfast -g 48 -bf 4 -x264-params b-pyramid=normal'
    'mbaff.mkv gpu -c:v libx264 -preset veryfast -g 30 -flags +ilme+ildct -x264-params tff=1'
    'full.mp4 gpu -pix_fmt yuvj420p -c:v libx264 -preset veryfast -g 30'
    'odd.mp4 gpu -vf scale=638:358 -c:v libx264 -preset veryfast -g 30'
    'small.mp4 gpu -vf scale=130:98 -c:v libx264 -preset veryfast -g 30 -profile:v baseline'
    'one-gop.mkv gpu -c:v libx264 -preset veryfast -g 9999'
    'intra.mp4 gpu -c:v libx264 -preset veryfast -g 1'
    'vfr.mkv gpu -vf select=mod(n\,7) -fps_mode vfr -c:v libx264 -preset veryfast -g 30'
    'hevc.mp4 gpu -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=48'
    'hevc10.mkv gpu -pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=48:open-gop=1:bframes=4'
    'hevc12.mkv gpu -pix_fmt yuv420p12le -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=48'
    'hevc444.mkv gpu -pix_fmt yuv444p -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=48'
    'hevc444-10.mkv gpu -pix_fmt yuv444p10le -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=48'
    'hevc.ts gpu -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=48:open-gop=1'
    'vp8.webm cpu -c:v libvpx -deadline realtime -cpu-used 8 -auto-alt-ref 1 -b:v 1M -g 48'
    'vp9.webm cpu -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 1M -g 48'
    'vp9-10.webm cpu -pix_fmt yuv420p10le -profile:v 2 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 1M -g 48'
    'high10.mp4 cpu -pix_fmt yuv420p10le -c:v libx264 -preset veryfast -g 30'
    'mpeg2.mpg cpu -c:v mpeg2video -q:v 4'
    'mpeg4.mp4 cpu -c:v mpeg4 -q:v 4'
)
decoded() { # NAME WHERE FILE WORD...: hashes in NAME.WHERE.txt, the report in NAME.WHERE.json
    local to=$work/$1.$2 where=$2 in=$3
    shift 3
    vfilter "$in" - --device "${decoding_device:-cuda}" --decode "$where" "$@" --format "${sums:-framehash}" --codec rawvideo --log-level error --progress none \
        --report "$to.json" -y >"$to.txt"
}
value() { sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\).*/\1/p" "$work/$1.json" | head -n1; } # NAME.WHERE KEY
same_decoding() { # NAME WHERE FILE WORD...: WHERE its pictures have to be decoded: gpu, cpu, or both, the CPU beside the GPU
    local name=$1 where=$2 result=equal
    shift 2
    decoding_device=${cpu_leg:-cuda} decoded "$name" cpu "$@"
    if [[ $where == both ]]; then
        decoded "$name" auto "$@" --threads 4 # else sixteen cores are faster
        mv "$work/$name.auto.txt" "$work/$name.gpu.txt"
        mv "$work/$name.auto.json" "$work/$name.gpu.json"
        (($(value "$name.gpu" pictures_beside) > 0)) || result='NONE BESIDE THE GPU'
    else
        decoded "$name" gpu "$@"
    fi
    local pictures on_gpu
    pictures=$(grep -c '^0,' "$work/$name.gpu.txt")
    on_gpu=$(value "$name.gpu" pictures_by_gpu)
    ((pictures > 0)) && cmp -s "$work/$name.cpu.txt" "$work/$name.gpu.txt" || result=DIFFERENT
    [[ $(value "$name.cpu" exit_code) == "$(value "$name.gpu" exit_code)" ]] || result="$result, exit code $(value "$name.gpu" exit_code)"
    [[ $where == cpu || ${on_gpu:-0} -gt 0 ]] || result="$result, NOT BY THE GPU"
    printf '%-28s %5d pictures, %5d by the GPU, %3d ranges, %3d on the CPU (%s): %s\n' "$name" "$pictures" "$on_gpu" \
        "$(value "$name.gpu" ranges)" "$(value "$name.gpu" ranges_on_cpu)" "$(value "$name.gpu" why_on_cpu)" "$result"
    diff "$work/$name.cpu.txt" "$work/$name.gpu.txt" | grep '^[<>]' | head -n 6
    [[ $result == equal ]]
}
step_decode() {
    local row words status=0 closed=$work/closed.mp4 job
    local jobs=()
    in_turn() { # COMMAND...: in the background, four at once
        "$@" &
        jobs+=($!)
        ((${#jobs[@]} % 4 > 0)) || wait_for_jobs
    }
    wait_for_jobs() {
        for job in "${jobs[@]}"; do wait "$job" || status=1; done
        jobs=()
    }
    for row in "${decode_clips[@]}"; do
        read -ra words <<<"$row"
        in_turn ffmpeg -nostdin -v error -y -i "$clip" -map 0:v -frames:v 480 -pix_fmt yuv420p "${words[@]:2}" "$work/${words[0]}"
    done
    wait_for_jobs
    for row in "${decode_clips[@]}"; do
        read -ra words <<<"$row"
        in_turn same_decoding "${words[0]}" "${words[1]}" "$work/${words[0]}" --gaussian 5
    done
    in_turn same_decoding no-filter gpu "$closed"
    in_turn same_decoding luma-alone gpu "$closed" --gaussian 5:chroma=off
    in_turn same_decoding some-pictures gpu "$closed" --gaussian 5:enable=50f-99f
    in_turn same_decoding verified gpu "$closed" --gaussian 5 --verify --frames 100
    in_turn same_decoding a-graph-first gpu "$closed" --vf hflip --gaussian 5
    in_turn same_decoding a-part gpu "$closed" --gaussian 5 --start 3.3 --end 15.1
    in_turn same_decoding a-part-of-an-open-GOP gpu "$work/open.mp4" --gaussian 5 --start 3.3 --frames 250
    in_turn same_decoding a-part-of-a-stream gpu "$work/pyramid.ts" --gaussian 5 --start 3.3 --end 15.1
    wait_for_jobs
    cp "$closed" "$work/noisy.mp4"
    printf '%400s' '' | tr ' ' U | dd of="$work/noisy.mp4" bs=1 seek=$(($(stat -c %s "$closed") / 2)) conv=notrunc status=none
    decoded damaged gpu "$work/noisy.mp4" --gaussian 5
    printf 'damaged: exit code %s, %s by the GPU, %s ranges on the CPU (%s)\n' "$(value damaged.gpu exit_code)" \
        "$(value damaged.gpu pictures_by_gpu)" "$(value damaged.gpu ranges_on_cpu)" "$(value damaged.gpu why_on_cpu)"
    decoded damaged cpu "$work/noisy.mp4" --gaussian 5
    # One after the other: cores that are busy help nobody. Long, as hardware has to be worth its start. Bytes are changed
    # in a container that has nothing between its pictures.
    local codec long sums=framecrc
    for codec in 'libx264 -preset ultrafast -bf 2' 'libx265 -preset ultrafast -x265-params log-level=none'; do
        read -ra words <<<"$codec"
        ffmpeg -nostdin -v error -y -i "$clip" -map 0:v -frames:v 480 -vf scale=1920:1080 -pix_fmt yuv420p -g 48 -c:v "${words[@]}" \
            "$work/once.mkv"
        for long in long.mkv long.mp4; do
            ffmpeg -nostdin -v error -y -stream_loop 3 -i "$work/once.mkv" -c copy "$work/$long"
        done
        same_decoding "beside-${words[0]}" both "$work/long.mkv" --gaussian 5 || status=1
        printf '%400s' '' | tr ' ' U | dd of="$work/long.mp4" bs=1 seek=$(($(stat -c %s "$work/long.mp4") / 2)) conv=notrunc status=none
        same_decoding "beside-${words[0]}-damaged" both "$work/long.mp4" --gaussian 5 || status=1
    done
    cmp -s "$work/damaged.cpu.txt" "$work/damaged.gpu.txt" || { echo 'damaged: other pictures than the CPU'"'"'s'; status=1; }
    [[ $(value damaged.gpu exit_code) == 5 ]] || status=1
    return "$status"
}

# Short clips of 30 kinds, each time with another size, length and place of the sample: their hashes, times and numbers by
# hardware and by the CPU. A row: where it has to be decoded, the container, and how ffmpeg makes it; G is the group's length.
clip_kinds=(
    'gpu mp4 -c:v libx264 -preset veryfast -g G'
    'gpu mkv -c:v libx264 -preset veryfast -g G -bf 0'
    'gpu ts -c:v libx264 -preset veryfast -g G -bf 4 -x264-params b-pyramid=normal'
    'gpu ts -c:v libx264 -preset veryfast -g G -bf 6 -x264-params b-pyramid=strict'
    'gpu mp4 -c:v libx264 -preset veryfast -g G -x264-params open-gop=1'
    'gpu mkv -c:v libx264 -preset veryfast -g G -bf 3 -x264-params open-gop=1:b-pyramid=normal'
    'gpu mkv -c:v libx264 -preset veryfast -g G -flags +ilme+ildct -x264-params tff=1'
    'gpu ts -c:v libx264 -preset veryfast -g G -flags +ilme+ildct -x264-params bff=1'
    'gpu mp4 -c:v libx264 -preset ultrafast -profile:v baseline -g G'
    'gpu mov -pix_fmt yuvj420p -c:v libx264 -preset veryfast -g G'
    'gpu mkv -c:v libx264 -preset veryfast -g G -slices 4'
    'gpu mkv -c:v libx264 -preset veryfast -g G -refs 8 -bf 5'
    'gpu mkv -c:v libx264 -preset veryfast -intra-refresh 1 -g G'
    'gpu mkv -c:v libx264 -preset veryfast -g G -x264-params weightp=2:constrained-intra=1'
    'gpu mkv -c:v libx264 -preset veryfast -g G -x264-params cabac=0:8x8dct=0'
    'gpu mkv -c:v libx264 -preset veryfast -g G -qp 4'
    'gpu mp4 -c:v libx264 -preset veryfast -g 1'
    'gpu mkv -c:v libx264 -preset veryfast -g 9999'
    'gpu mkv -fps_mode vfr -c:v libx264 -preset veryfast -g G'
    'gpu flv -c:v libx264 -preset veryfast -g G'
    'gpu mp4 -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=G'
    'gpu mkv -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=G:open-gop=1:bframes=4'
    'gpu ts -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=G:open-gop=1:bframes=3:b-pyramid=1'
    'gpu mkv -pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=G'
    'gpu mkv -pix_fmt yuv444p -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=G:slices=3'
    'cpu mkv -pix_fmt yuv422p -c:v libx264 -preset veryfast -g G'
    'cpu webm -c:v libvpx -deadline realtime -cpu-used 8 -auto-alt-ref 1 -b:v 1M -g G'
    'cpu webm -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 1M -g G'
    'cpu mpg -c:v mpeg2video -q:v 4 -bf 2'
    'cpu avi -c:v mpeg4 -q:v 4'
)
clip_sizes=(854x480 640x360 638x358 1280x720 322x242 720x576 1918x1078 400x224 176x144)
clip_groups=(12 24 30 48 60 7)
make_and_compare() { # NUMBER, then the words of its row and its ffmpeg's
    local file=$work/clip$1.$3
    ffmpeg -nostdin -v error -y -threads 1 "${@:4}" "$file" && same_decoding "clip$1.$3" "$2" "$file" --gaussian 5
    local status=$?
    rm -f "$work/clip$1."*
    return "$status"
}
in_a_pool() { # FUNCTION JOBS: for each job of the file, which are words and END, with a zero behind each; several at once
    python3 - "$@" "$(($(nproc) + 2))" "${VFILTER_SECONDS:-3600}" <<'PYTHON'
import concurrent.futures, subprocess, sys, time
end = time.monotonic() + float(sys.argv[4])
jobs, job = [], []
for word in open(sys.argv[2], "rb").read().split(b"\0")[:-1]:
    if word == b"END":
        jobs.append(job)
        job = []
    else:
        job.append(word)
def run(job):
    if time.monotonic() > end:
        return 1
    done = subprocess.run(["bash", "-c", '"$0" "$@"', sys.argv[1], *job], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    sys.stdout.buffer.write(done.stdout)
    return done.returncode
with concurrent.futures.ThreadPoolExecutor(int(sys.argv[3])) as pool:
    sys.exit(any(list(pool.map(run, jobs))))
PYTHON
}
damage_of() { sed -n '/"damage"/,/}/p' "$work/$1.json" | grep -E '"(packets|frames|missing_seconds)"'; } # NAME.WHERE
compare_damaged() { # FILE
    local name=${1##*/} result=equal
    decoded "$name" gpu "$1" --gaussian 5
    decoded "$name" cpu "$1" --gaussian 5
    cmp -s "$work/$name.cpu.txt" "$work/$name.gpu.txt" || result=DIFFERENT
    if [[ $(damage_of "$name.cpu") != "$(damage_of "$name.gpu")" || $(value "$name.cpu" exit_code) != "$(value "$name.gpu" exit_code)" ]]; then
        result="not all told, $result"
    fi
    printf '%-12s exit code %s, %4d pictures, %4d by the GPU, %3d ranges on the CPU (%s): %s\n' "$name" "$(value "$name.gpu" exit_code)" \
        "$(grep -c '^0,' "$work/$name.gpu.txt")" "$(value "$name.gpu" pictures_by_gpu)" "$(value "$name.gpu" ranges_on_cpu)" \
        "$(value "$name.gpu" why_on_cpu)" "$result"
    rm -f "$work/$name."*
}
# One to five places of 1, 4, 40 or 600 wrong bytes. A device does not see all that is wrong; what it sees has the CPU's bytes.
step_damage() {
    local row name clip_words
    export work
    export -f compare_damaged decoded value damage_of
    : >"$work/damage.jobs"
    for row in 'a.mp4 libx264 -preset veryfast -g 48' 'b.ts libx264 -preset veryfast -g 48 -bf 4 -x264-params open-gop=1:b-pyramid=normal' \
        'c.mp4 libx265 -preset ultrafast -x265-params log-level=none:keyint=48:open-gop=0' \
        'd.mkv libx265 -preset ultrafast -x265-params log-level=none:keyint=48:open-gop=1:bframes=4'; do
        read -ra clip_words <<<"$row"
        name=${clip_words[0]}
        ffmpeg -nostdin -v error -y -i "$clip" -map 0:v -frames:v 480 -pix_fmt yuv420p -c:v "${clip_words[@]:1}" "$work/$name" || return
        python3 - "$work/$name" "$((${VFILTER_DAMAGED:-100} / 4))" >>"$work/damage.jobs" <<'PYTHON' || return
import random, sys
whole = open(sys.argv[1], "rb").read()
stem, end = sys.argv[1].rsplit(".", 1)
for seed in range(int(sys.argv[2])):
    chance = random.Random(7 * seed + 1)
    damaged = bytearray(whole)
    for _ in range(1 + seed % 5):
        place = chance.randrange(len(whole) // 20, len(whole) - len(whole) // 10)
        for i in range((1, 4, 40, 600)[seed % 4]):
            damaged[place + i] = chance.randrange(256)
    open(f"{stem}-{seed}.{end}", "wb").write(damaged)
    print(f"{stem}-{seed}.{end}", "END", sep="\0", end="\0")
PYTHON
    done
    in_a_pool compare_damaged "$work/damage.jobs" | sort -V >"$work/damage.txt"
    grep -v ': equal$' "$work/damage.txt"
    awk '/: / { ++all; equal += /: equal$/; told += !/not all told/; redone += !/ 0 ranges on/ }
        END { printf "%d files: %d equal, %d with all damage told, %d with ranges on the CPU\n", all, equal, told, redone
              exit !(all > 0 && equal == told && told >= 0.95 * all && redone > all / 2) }' "$work/damage.txt"
}
step_clips() {
    local count=${VFILTER_CLIPS:-1000} i row words place size cuts status=0
    local -x cpu_leg=cpu # whose bytes are the same, and no context has to be made for them
    export work
    export -f make_and_compare same_decoding decoded value
    for ((i = 0; i < count; ++i)); do
        row=${clip_kinds[i % ${#clip_kinds[@]}]}
        read -ra words <<<"${row//G/${clip_groups[i / 3 % ${#clip_groups[@]}]}}"
        place=$((i * 7 % 20))
        size=${clip_sizes[i / ${#clip_kinds[@]} % ${#clip_sizes[@]}]}
        [[ $row != *ildct* ]] || size=${size%x*}x$((${size#*x} / 4 * 4)) # which fields have to have
        cuts="scale=${size/x/:}"
        [[ $row != *vfr* ]] || cuts="select=mod(n\\,7)*mod(n\\,11),$cuts"
        printf '%s\0' "$i" "${words[@]:0:2}" -ss "$place" -i "$clip" -map 0:v -frames:v "$((30 + i * 13 % 90))" -vf "$cuts" \
            -pix_fmt yuv420p "${words[@]:2}" END
    done >"$work/clips.jobs"
    in_a_pool make_and_compare "$work/clips.jobs" >"$work/clips.txt" || status=1
    grep -v ': equal$' "$work/clips.txt"
    awk '/ pictures, /{ ++all; equal += /: equal$/; gpu += $4 > 0; redone += $10 > 0; pictures += $2 }
        END { printf "%d clips, %d pictures: %d equal; %d by the GPU, of which %d with ranges on the CPU\n", all, pictures, equal, gpu, redone }' "$work/clips.txt"
    [[ $(grep -c ': equal$' "$work/clips.txt") == "$count" ]] || status=1
    return "$status"
}

# Two GPUs against one: bytes, counts, where pictures were decoded, and the time of a chain that binds.
step_devices() {
    (($(nvidia-smi -L 2>/dev/null | grep -c '^GPU') > 1)) || { echo "left out: there is one GPU"; return 0; }
    local status=0 codec words name made
    for codec in 'libx264 -preset ultrafast -bf 2' 'libx265 -preset ultrafast -x265-params log-level=none:open-gop=1'; do
        read -ra words <<<"$codec"
        ffmpeg -nostdin -v error -y -i "$clip" -map 0:v -frames:v 480 -vf scale=1280:720 -pix_fmt yuv420p -g 48 -c:v "${words[@]}" "$work/two.mkv"
        for name in '' ' --gaussian 5:chroma=off' ' --nlmeans 5:frames=1:search=5' ' --vf hflip --gaussian 5' ' --gaussian 5 --verify' ' --gaussian 5 --start 3.3 --frames 250'; do
            read -ra made <<<"${name:- --gaussian 9 --sharpen 0.8}"
            decoding_device=all same_decoding "${words[0]}:${made[*]}" gpu "$work/two.mkv" "${made[@]}" || status=1
            mv "$work/${words[0]}:${made[*]}.gpu.txt" "$work/all.txt"
            decoding_device=cuda decoded "one" gpu "$work/two.mkv" "${made[@]}"
            cmp -s "$work/one.gpu.txt" "$work/all.txt" || { echo "${made[*]}: other bytes than one GPU's"; status=1; }
        done
    done
    vfilter "$work/two.mkv" - --format null --device all --decode gpu --gaussian 9 --stats text --progress none
    # Under the sanitizer the driver refuses the two GPUs a way between them, which it tells of as an error of the call.
    if command -v compute-sanitizer >/dev/null; then
        compute-sanitizer --report-api-errors no --error-exitcode 9 "$(command -v vfilter)" "$work/two.mkv" - --format null --device all \
            --decode gpu --gaussian 5 --frames 5 --progress none | grep SUMMARY || status=1
    fi
    return "$status"
}
