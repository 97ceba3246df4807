#!/usr/bin/env python3
"""The whole program next to ffmpeg: wall time and peak memory of whole processes, in turn, medians of the ratios.

    bench/whole.py VFILTER [--clip FILE] [--runs N] [--memory]

Exit code 1 where one is more than it may be.
Without a clip it makes one: 1080p, H.264, 300 frames. --memory runs a 30-second and a 5-minute clip instead.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

FFMPEG = ["ffmpeg", "-nostdin", "-v", "error", "-y"]


def run(command):
    """The seconds that it takes and the MiB that it has at most."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"whole.py: {' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


missed = []


def show(what, ours, theirs, unit, value, limit):
    print(f"{what:<44}{ours:>10.3f}{theirs:>10.3f} {unit:<4}{value:>8.3f}{limit:>8.2f}  {'ok' if value <= limit else 'MISS'}", flush=True)
    if value > limit:
        missed.append(what)


def compare(what, ours, theirs, limit, runs):
    """Both in turn, so that a change of the machine's speed meets both; the first round warms up."""
    rounds = [(run(ours)[0], run(theirs)[0]) for _ in range(runs + 1)][1:]
    show(what, statistics.median(mine for mine, _ in rounds), statistics.median(other for _, other in rounds), "s",
         statistics.median(mine / other for mine, other in rounds), limit)


def main():
    parser = argparse.ArgumentParser(description="Whole runs of vfilter beside ffmpeg.")
    parser.add_argument("vfilter", metavar="VFILTER", help="the program")
    parser.add_argument("--clip", metavar="FILE", help="a video to measure with")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of each; 5 unless told otherwise")
    parser.add_argument("--memory", action="store_true", help="peak memory instead of time")
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clip, out = wishes.clip or f"{folder}/clip.mp4", f"{folder}/out.mp4"
        if not wishes.clip:
            # Noise makes the decoder work as it does on a camera's pictures.
            run(FFMPEG + ["-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=24,noise=alls=12:allf=t", "-f", "lavfi", "-i", "sine", "-t",
                          "12.5", "-c:v", "libx264", "-crf", "24", "-pix_fmt", "yuv420p", "-c:a", "aac", clip])
        print(f"{'':<44}{'vfilter':>10}{'ffmpeg':>10} {'':<4}{'ratio':>8}{'most':>8}")
        quiet, x264 = [wishes.vfilter, "-q"], ["-c:v", "libx264", "-preset", "veryfast", "-c:a", "copy", out]
        if not wishes.memory:
            decode = FFMPEG + ["-i", clip, "-f", "null", "-"]
            for size, limit in (("5", 1.15), ("31", 1.35)):
                compare(f"gaussian {size} to null / ffmpeg decoding", quiet + [clip, "--format", "null", "--gaussian", size], decode,
                        limit, wishes.runs)
            compare("gaussian 5 to x264 veryfast / no filter", quiet + ["-y", clip, out, "--gaussian", "5", "--preset", "veryfast"],
                    FFMPEG + ["-i", clip] + x264, 1.05, wishes.runs)
            return
        lengths = {seconds: f"{folder}/{seconds}.mp4" for seconds in (30, 300)}
        for seconds, path in lengths.items():
            run(FFMPEG + ["-stream_loop", "-1", "-i", clip, "-t", str(seconds), "-c", "copy", path])
        shorter, longer = (run(quiet + ["-y", path, out, "--gaussian", "5", "--preset", "veryfast"])[1] for path in lengths.values())
        theirs = run(FFMPEG + ["-i", lengths[30], "-vf", "gblur=sigma=1.1"] + x264)[1]
        show("peak memory, 5 minutes / 30 seconds", longer, shorter, "MiB", longer / shorter, 1.03)
        show("peak memory, vfilter - ffmpeg with gblur", longer, theirs, "MiB", longer - theirs, 64)


if __name__ == "__main__":
    main()
    sys.exit(1 if missed else 0)
