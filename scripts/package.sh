#!/usr/bin/env bash
# Packages of vfilter, after installing and building what is missing: one for this release of the distribution (deb), and a
# tarball with its libraries (tarball). scripts/package.sh makes both, scripts/package.sh deb one of them.
set -euo pipefail
# shellcheck source=scripts/setup.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"

declare -A generators=([deb]=DEB [tarball]=TXZ)
(($#)) || set -- deb tarball
for kind; do
    [[ ${generators[$kind]-} ]] || die "there is no package '$kind', only: ${!generators[*]}"
done

more_packages=("${window_packages[@]}" "${package_packages[@]}")
set_up package
folder=$root/build/packages
rm -rf "$folder"
for kind; do
    cpack --config "$root/build/package/CPackConfig.cmake" -G "${generators[$kind]}" -B "$folder" >&2
done
rm -rf "$folder/_CPack_Packages"
ls -l "$folder"/*
