#!/usr/bin/env bash
# The proof on a machine with an NVIDIA GPU: tests, compute-sanitizer, equal bytes, benchmarks; a table at the end.
#
#   tests/gpu.sh [STEP...]     tests library faults memcheck racecheck initcheck synccheck bytes decode clips damage devices
#                              kernels sweep engine whole denoise; all without names
#
# VFILTER_BUNDLE  a folder with bin/ (vfilter, test_kernels, test_pipeline, test_library, vfilter-bench, ffmpeg) and
#                 libs.tar.xz (lib/*.so), for machines without the packages; without it, build/release and the system's
# VFILTER_LOGS    a folder for what compute-sanitizer says
# VFILTER_CLIP    the sample clip; one is made without it
# VFILTER_CLIPS   how many clips the step `clips` makes and decodes, 1000 without it; it fails if they are not done within
#                 VFILTER_SECONDS, 3600 without it, and tells of those that are
# VFILTER_DAMAGED how many damaged files the step `damage` makes and decodes, 100 without it
set -uo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit

all_steps=(tests library faults memcheck racecheck initcheck synccheck bytes decode clips damage devices kernels sweep engine whole denoise)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VFILTER_TEST_NEEDS_GPU=1 # a test that finds no GPU fails

if [[ ${VFILTER_BUNDLE-} ]]; then
    tar -C "$work" -xJf "$VFILTER_BUNDLE/libs.tar.xz"
    cp -r "$VFILTER_BUNDLE/bin" "$work/bin"
    chmod -R u+x "$work/bin"
    export LD_LIBRARY_PATH=$work/lib:${LD_LIBRARY_PATH-} PATH=$work/bin:$PATH
else
    export PATH=$PWD/build/release:$PWD/build/release/tests:$PATH
fi

clip=${VFILTER_CLIP:-$work/clip.mp4}
[[ -f $clip ]] || ffmpeg -v error -f lavfi -i testsrc2=s=854x480:r=24:d=30 -f lavfi -i sine=d=30 -pix_fmt yuv420p "$clip"

kernel_tests='Cuda*'
engine_tests='*cuda*:*Device*:CudaFaults.*'
# Under a sanitizer every access of a kernel costs hundreds of times what it does alone.
few_kernel_tests='CudaSurface.*:Cuda*.TinyPictures:CudaMedian.EveryKind*:CudaGuided.WideAndHighPictures:Cuda*.EveryWidthAndHeight:Cuda*.KernelsMuchLarger*:Cuda*.Planes*:Cuda*.Regions*:Cuda*.Terms*:CudaTime.*'
# racecheck takes some hundred times as long again; of what it looks at, shared memory, these have all kinds.
racing_kernel_tests='CudaSurface.*:Cuda*.TinyPictures:CudaMedian.EveryKind*:CudaGuided.WideAndHighPictures:Cuda*.Planes*:Cuda*.Regions*'
few_engine_tests='*cuda_yuv420p_161x121:*cuda_p010le_161x121:*cuda_nv12_161x121:*cuda_yuv420p_64x71_interlaced:*EveryEngine*/cuda:*TimeTest*/cuda'

step_tests() {
    # By their paths: one of the tests starts its program again.
    "$(command -v test_kernels)" --gtest_brief=1 --gtest_filter="$kernel_tests" &&
        "$(command -v test_pipeline)" --gtest_brief=1 --gtest_filter="$engine_tests"
}

# Device memory by libvfilter, and by Python where that has torch and the module is built.
step_library() {
    "$(command -v test_library)" --gtest_brief=1 --gtest_filter='CudaLibrary.*' || return
    if python3 -c 'import torch, vfilter' 2>/dev/null; then
        python3 -B tests/python/test_devices.py
    else
        echo "left out: no torch, or no vfilter, in python3"
    fi
}

# What a user meets where the GPU cannot be used: exit codes and one line that says why.
expect() { # CODE TEXT COMMAND...: the command's exit code, and a line of its stderr
    local code=$1 text=$2 status
    shift 2
    "$@" >/dev/null 2>"$work/stderr"
    status=$?
    if ((status == code)) && grep -q "$text" "$work/stderr"; then
        echo "exit code $status, \"$(grep -m1 "$text" "$work/stderr")\""
    else
        echo "exit code $status, not $code with \"$text\": $*"
        cat "$work/stderr"
        return 1
    fi
}
step_faults() {
    local run=(vfilter "$clip" - --format null --gaussian 5 --progress none) short=$work/short.mp4
    ffmpeg -nostdin -v error -y -i "$clip" -map 0:v -frames:v 5 "$short" &&
        expect 0 'the video is short (5 pictures)' vfilter "$short" - --format null --gaussian 31 --progress none &&
        expect 0 'cuda:0 ' vfilter "$short" - --format null --nlmeans 5 --progress none &&
        expect 0 'cuda:0 ' "${run[@]}" --device auto &&
        expect 0 'filtering on the CPU: no NVIDIA GPU is visible' env CUDA_VISIBLE_DEVICES= "${run[@]}" --device auto &&
        expect 6 'no NVIDIA GPU is visible' env CUDA_VISIBLE_DEVICES= "${run[@]}" --device cuda &&
        expect 6 'there is no GPU number 99' "${run[@]}" --device cuda:99 &&
        if [[ -d ${CUDA_STUBS:=$(dirname "$(command -v nvcc || echo /)")/../lib64/stubs} ]]; then
            ln -sf "$CUDA_STUBS/libcuda.so" "$work/libcuda.so.1"
            expect 6 "toolkit's stub" env LD_LIBRARY_PATH="$work:${LD_LIBRARY_PATH-}" "${run[@]}" --device cuda
        else
            echo "left out: no stub of libcuda here"
        fi
}

sanitize() { # TOOL [OPTION...]: all that it says is in VFILTER_LOGS/TOOL.txt, and here which code it speaks of
    local tool=$1 log=${VFILTER_LOGS:-$work}/$1.txt tests=$few_kernel_tests
    [[ $tool != racecheck ]] || tests=$racing_kernel_tests
    shift
    compute-sanitizer --tool "$tool" "$@" --error-exitcode 9 "$(command -v test_kernels)" --gtest_brief=1 --gtest_filter="$tests" >"$log" 2>&1 &&
        compute-sanitizer --tool "$tool" "$@" --error-exitcode 9 "$(command -v test_pipeline)" --gtest_brief=1 --gtest_filter="$few_engine_tests" >>"$log" 2>&1
    local status=$?
    grep -E '^\[  (PASSED|FAILED)|SUMMARY' "$log"
    ((status == 0)) || grep -E '^=+ +at ' "$log" | sed 's/+0x.*//' | cut -c1-200 | sort | uniq -c | sort -rn | head -n 20
    return "$status"
}
step_memcheck() { sanitize memcheck --leak-check full; }
step_racecheck() { sanitize racecheck; }
step_initcheck() { sanitize initcheck; }
step_synccheck() { sanitize synccheck; }

for steps in bytes decoding speed; do
    # shellcheck source=/dev/null
    source "tests/gpu/$steps.sh"
done

(($#)) || set -- "${all_steps[@]}"
summary=() failed=()
for step; do
    [[ " ${all_steps[*]} " == *" $step "* ]] || { echo "no step '$step'"; exit 2; }
    echo "== $step"
    SECONDS=0
    if "step_$step"; then
        summary+=("$(printf '%-10s passed, %d s' "$step" "$SECONDS")")
    else
        summary+=("$(printf '%-10s FAILED, %d s' "$step" "$SECONDS")")
        failed+=("$step")
    fi
done
echo
printf '%s\n' "${summary[@]}"
((${#failed[@]} == 0))
