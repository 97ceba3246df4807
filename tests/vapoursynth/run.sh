#!/usr/bin/env bash
# The plugin in VapourSynth from PyPI (its wheels are for Python 3.12 and later), for the library that a build has made:
# tests/vapoursynth/run.sh BUILD SOURCE. Exits with 77, which is no success, where VapourSynth is not to be had.
set -euo pipefail
build=${1:?} source=${2:?}
mkdir -p "$build/vapoursynth"
venv=$build/vapoursynth/venv log=$build/vapoursynth/log
for python in python3.13 python3.12 python3 ''; do
    [[ $python ]] || { echo 'left out: there is no python3'; exit 77; }
    "$python" -c '' 2>/dev/null && break
done
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || {
    echo "left out: PyPI has VapourSynth for Python 3.12 and later, and this is $("$python" --version)"
    exit 77
}
if [[ ! -f $venv/complete ]]; then
    rm -rf "$venv"
    { "$python" -m venv "$venv" &&
        timeout 60 "$venv/bin/pip" -q --retries 0 --timeout 10 install --only-binary :all: vapoursynth &&
        touch "$venv/complete"; } >"$log" 2>&1 || {
        tail -n 3 "$log"
        echo "left out: PyPI cannot be reached for VapourSynth"
        exit 77
    }
fi
for component in library development; do
    cmake --install "$build" --component "$component" --prefix "$build/vapoursynth/usr" >/dev/null
done
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$(find "$build/vapoursynth/usr" -name libvfilter.so)")
headers=$(dirname "$(find "$venv" -name VapourSynth4.h)")
cmake -G "${CMAKE_GENERATOR:-Ninja}" -S "$source/library/vapoursynth" -B "$build/vapoursynth/plugin" -D CMAKE_BUILD_TYPE=Debug \
    -D CMAKE_PREFIX_PATH="$build/vapoursynth/usr" -D VAPOURSYNTH_INCLUDE="$headers" >/dev/null
cmake --build "$build/vapoursynth/plugin" >"$log" || { cat "$log"; exit 1; }
VFILTER_BINARY=$build/vfilter VFILTER_PLUGIN=$build/vapoursynth/plugin/vfilter_vapoursynth.so \
    exec "$venv/bin/python" -B "$source/tests/vapoursynth/test_plugin.py"
