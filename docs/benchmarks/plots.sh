#!/usr/bin/env bash
# Writes the pictures of the documents anew from the figures that lie here. Needs python3-matplotlib.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
pages=../../bench/pages.py
"$pages" h200.json --plot filter_time_2160p=h200_ladder.svg --plot sweep_sizes=h200_sweep_sizes.svg \
    --plot sweep_sigmas=h200_sweep_sigmas.svg
"$pages" two-cores.json --plot pipeline_1080p=two_cores_runs.svg
