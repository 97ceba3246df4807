# shellcheck shell=bash
# Sourced by run.sh, test.sh, .ci/run, scripts/package.sh, docker/build.sh and the Dockerfile: packages from the
# distribution, configure, build.
# It writes to stderr and reads nothing: stdin and stdout belong to the tool that run.sh becomes.

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

# The names are the same on Debian 12 and 13 and Ubuntu 24.04. One list for the program, its tests and its benchmarks, so
# that one build folder serves all three; the one library that only the tests need is small.
packages=(
    g++ cmake ninja-build pkg-config
    libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libavfilter-dev libswresample-dev
    libopencv-core-dev libopencv-imgproc-dev libhwy-dev libconcurrentqueue-dev
    libcli11-dev libtomlplusplus-dev libspdlog-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libexpat1-dev
    libgtest-dev ffmpeg
)
# The window of --preview, whose graphical libraries a server does not need; and what the tests of the window, of
# bench/pages.py, of the Python module, of the library's packages and of the shells' completions need.
window_packages=(libopencv-highgui-dev)
# shellcheck disable=SC2034  # test.sh and .ci/run
test_packages=(xvfb xdotool matchbox-window-manager python3-matplotlib python3-venv python3-dev zsh fish dpkg-dev file)
# shellcheck disable=SC2034  # package.sh and Dockerfile
package_packages=(dpkg-dev file)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
    say "$@"
    exit 1
}

# installed PACKAGE...: those that are installed, a line "name version" each.
installed() {
    { dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' "$@" 2>/dev/null || true; } |
        sed -n 's/^installed //p'
}

# install_packages PACKAGE...: installs those that are missing from the distribution. Exits if that fails.
install_packages() {
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
        die "this system has no apt-get, so the packages have to be installed by hand, under the names that it uses:" \
            "$*. Then build with 'cmake --preset release && cmake --build --preset release'."
    local name missing=() present
    present=$(installed "$@")
    for name; do
        [[ $'\n'$present == *$'\n'"$name "* ]] || missing+=("$name")
    done
    ((${#missing[@]})) || return 0

    local as_root=() by_hand="By hand, as root: apt-get install --no-install-recommends ${missing[*]}"
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "packages are missing, and without root or sudo they cannot be installed. $by_hand"
        as_root=(sudo)
    fi
    say "installing from the distribution, which takes a minute or more: ${missing[*]}"
    # One shell, so that sudo asks once. A failed update (a stale third-party source) matters only if the install fails too.
    "${as_root[@]}" sh -c '
        export DEBIAN_FRONTEND=noninteractive
        apt-get -q update
        exec apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"' sh "${missing[@]}" \
        >build/packages.log 2>&1 && return
    grep -m 8 -E '^(Err|E|W|dpkg|sudo):' build/packages.log >&2 || true
    die "the packages could not be installed: see $root/build/packages.log. Is this machine online, is it Debian 12," \
        "Ubuntu 24.04 or later, and does sudo work? $by_hand"
}

# How many compilers run at once: one for each processor, as far as memory lasts at about 1 GiB each.
compilers() {
    local processors gib limit
    processors=$(nproc)
    gib=$(awk '$1 == "MemAvailable:" {print int($2 / 1048576)}' /proc/meminfo)
    # The container's limit, if there is one.
    limit=$(awk '/^[0-9]+$/ {print int($1 / 1073741824)}' /sys/fs/cgroup/memory.max 2>/dev/null || true)
    printf '%s\n' "$processors" "$((gib > 0 ? gib : 1))" "$((${limit:-$gib} > 0 ? ${limit:-$gib} : 1))" | sort -n | head -n 1
}

# Set by the caller: packages needed as well.
more_packages=()

# set_up PRESET [TARGET]: brings build/PRESET up to date. Takes a tenth of a second and prints nothing if it is already.
# Runs in a subshell, so `exit` ends only set_up; the status says whether it worked.
set_up() (
    preset=$1 target=${2:-all} folder=build/$1
    cd "$root" && mkdir -p build && exec 9>build/.lock || die "cannot write to $root/build"
    flock -n 9 || { say "waiting for another set-up of this checkout" && flock 9; }
    install_packages "${packages[@]}" "${more_packages[@]}"

    # Ninja does not notice a changed library or compiler, nor CMake a moved checkout. What is installed is compared, not
    # what was asked for, so that runs with and without the window can alternate.
    made_from=$(echo "$root" && installed "${packages[@]}" "${window_packages[@]}")
    fresh=()
    if [[ -f $folder/.made-from && $(<"$folder/.made-from") != "$made_from" ]]; then
        say "packages or folder changed since $folder was made: building it anew"
        fresh=(--fresh)
    fi
    if [[ ! -f $folder/build.ninja || ! -f $folder/.made-from || ${fresh[*]} ]]; then
        say "configuring $folder"
        cmake --preset "$preset" "${fresh[@]}" || die "cmake failed"
        [[ ! ${fresh[*]} ]] || cmake --build "$folder" --target clean || die "cmake failed"
        echo "$made_from" >"$folder/.made-from"
    fi
    [[ $(ninja -C "$folder" -n "$target") != *"no work to do"* ]] || exit 0
    say "building $folder"
    cmake --build "$folder" --target "$target" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(compilers)}" ||
        die "the build failed"
) </dev/null >&2
