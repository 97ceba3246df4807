#!/usr/bin/env bash
# The tests, after installing and building what is missing: ./test.sh, or with the names of presets: ./test.sh asan tsan
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/scripts/setup.sh"

# The sanitizers of gcc 12 and clang 14 cannot run where the kernel scatters addresses over more than 28 bits. Tests run
# during the build too, when they are asked for their names.
if [[ $* == *san* && ! ${VFILTER_FIXED_ADDRESSES-} ]] && setarch -R true 2>/dev/null; then
    VFILTER_FIXED_ADDRESSES=1 exec setarch -R "${BASH_SOURCE[0]}" "$@"
fi
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions="'$root/tests/tsan.supp'"}

# test_preset PRESET: exits with 0 if everything was built and at least one test ran and none failed.
test_preset() (
    set_up "$1" || exit
    cd "$root" || exit
    log=build/$1/ctest.log
    # Two more than there are processors: tests wait for clocks, senders and each other.
    ctest --preset "$1" --parallel "${CTEST_PARALLEL_LEVEL:-$(($(nproc) + 2))}" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    # Older CTest takes an empty list of tests for a success.
    ((status == 0)) && ! grep -q 'tests passed.* out of [1-9]' "$log" && die "no test ran"
    exit "$status"
)

more_packages=("${window_packages[@]}" "${test_packages[@]}")
(($#)) || set -- release
presets=(release debug asan tsan cuda)
for preset; do
    [[ " ${presets[*]} " == *" $preset "* ]] || die "no preset '$preset': there are ${presets[*]}"
done
failed=()
for preset; do
    say "preset $preset"
    test_preset "$preset" || failed+=("$preset")
done
[[ ! ${failed[*]} ]] || die "failed: ${failed[*]}"
