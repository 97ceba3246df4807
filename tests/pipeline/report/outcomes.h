#pragma once
// An outcome with something in every field.

#include "filters/filters.h"
#include "pipeline/report/outcome.h"

namespace vfilter::testing {

inline Outcome full_outcome() {
    Outcome outcome;
    outcome.end = {.code = ExitCode::encoder, .message = "encode: no", .kept_part = ".out.part", .abandoned = 4};
    RunSetup& setup = outcome.setup;
    setup.container = "matroska";
    setup.encoder = "libx264";
    setup.device = "cpu";
    setup.kernels = {"tile"};
    setup.filters = {parse_filter(*find_filter("gaussian"), "5")};
    setup.same_again = "vfilter again";
    setup.dropped_streams = {"stream 2"};
    setup.encoded_streams = {"stream 1 becomes opus"};
    setup.dropped_tags = {"artist"};
    outcome.counts = {.frames_in = 100,
                      .frames_out = 90,
                      .frames_expected = 200,
                      .frame_rate = 25,
                      .seconds = 2,
                      .bytes_written = 12345,
                      .displaced = 8,
                      .packets_lost = 9};
    outcome.live.is_live = true;
    outcome.live.reconnects = 2;
    outcome.live.drops[Drop::undecoded] = 1;
    outcome.live.drops[Drop::overtaken] = 3;
    outcome.live.drops[Drop::unseen] = 7;
    outcome.live.clock_drift = 0.25;
    outcome.memory = {.pictures_allocated = 17,
                      .engine = {.device_bytes = 1000,
                                 .device_allocations = 12,
                                 .pageable_pictures = 5,
                                 .launches = 6,
                                 .uploads = 7,
                                 .downloads = 8,
                                 .resident = 9,
                                 .crossings = 2}};
    outcome.decode = {.gpu = true,
                      .why = "it is faster",
                      .facts = {.hardware = 80,
                                .resident = 9,
                                .beside = 12,
                                .sessions = 2,
                                .ranges = 5,
                                .on_cpu = 1,
                                .why_on_cpu = "film grain"}};
    outcome.damage.packets = 1;
    outcome.damage.notes = {"at 1 s"};
    outcome.audit = {.command_line = "vfilter in.mp4 out.mkv",
                     .host = "here",
                     .started = "2026-01-02T03:04:05.678Z",
                     .ended = "2026-01-02T03:04:06.678Z",
                     .input_sha256 = "00ff",
                     .added_sha256 = {},
                     .appended_sha256 = {},
                     .output_sha256 = "ff00",
                     .regions = {{.region = "1,2,3,4", .pictures = 9}}};
    outcome.verified = Verifier::Result{.frames = 2, .samples = 400, .off_by_one = 1};
    return outcome;
}

}  // namespace vfilter::testing
