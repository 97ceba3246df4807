#!/usr/bin/env bash
# The Python module as it is, compiled for the library that a build has made, against the program: tests/python/run.sh BUILD
# SOURCE. What it needs of PyPI is kept in the build folder. Exits with 77, which is no success, where that is not to be had.
set -euo pipefail
build=${1:?} source=${2:?}
python=$(command -v python3) || { echo 'left out: there is no python3'; exit 77; }
venv=$build/python/venv
if [[ ! -f $venv/complete ]]; then
    rm -rf "$venv"
    { "$python" -m venv "$venv" &&
        timeout 60 "$venv/bin/pip" -q --retries 0 --timeout 10 install 'nanobind<4' 'numpy<3' && touch "$venv/complete"; } >"$build/python.log" 2>&1 || {
        tail -n 3 "$build/python.log"
        echo 'left out: PyPI cannot be reached for nanobind and numpy, or this Python has no venv'
        exit 77
    }
fi
for component in library development; do
    cmake --install "$build" --component "$component" --prefix "$build/python/usr" >/dev/null
done
export LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "$(find "$build/python/usr" -name libvfilter.so)")
cmake -G "${CMAKE_GENERATOR:-Ninja}" -S "$source/library/python" -B "$build/python/module" -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 \
    -D CMAKE_PREFIX_PATH="$build/python/usr" -D Python_EXECUTABLE="$venv/bin/python" >/dev/null
cmake --build "$build/python/module" >"$build/python.log" || { cat "$build/python.log"; exit 1; }
export VFILTER_BINARY=$build/vfilter PYTHONPATH=$build/python/module
exec "$venv/bin/python" -B -W ignore::DeprecationWarning -m unittest discover -s "$source/tests/python" # of forks with threads
