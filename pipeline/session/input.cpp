#include "pipeline/session/input.h"

#include <fmt/format.h>

#include <future>

#include "config/error.h"
#include "filters/region_geometry.h"
#include "io/formats/gray_picture.h"
#include "io/input/source.h"
#include "pipeline/session/background_task.h"
#include "pipeline/session/named_files.h"
#include "pipeline/session/orientation.h"
#include "pipeline/session/pictures.h"

namespace vfilter {

namespace {

// What can be told of a region before anything but the input is opened.
void check_regions(const std::vector<FilterSpec>& filters, const AVStream& stream) {
    const AVCodecParameters& video = *stream.codecpar;
    for (const FilterSpec& filter : filters) {
        try {
            const bool swapped = orientation_of(stream).swaps_sides();
            if (video.width > 0 && video.height > 0) {
                fixed_boxes(filter.region, swapped ? video.height : video.width, swapped ? video.width : video.height);
            }
        } catch (const RegionError& error) {
            throw Error(ExitCode::usage, fmt::format("{}: {}", filter.def->name, error.what()));
        }
    }
}

}  // namespace

void check_request(const Options& options) {
    check_source(options.input);
    check_named_files(options);
    check_picture_names(options);
    for (const FilterSpec& filter : options.filters) {
        if (!filter.region.mask.empty()) {
            check_picture(filter.region.mask);
        }
    }
}

void open_input(const Options& options, std::function<bool()> interrupted, RunParts& parts) {
    // A GPU takes a fifth of a second to get up: meanwhile a file is opened. A camera may have nothing to give for
    // long.
    auto rising = begin_task([&options] { return choose_device(options.device, options.threads, options.streams); });
    if (is_live(options.input)) {
        parts.device = rising.get();
    }
    try {
        parts.demuxer = std::make_unique<Demuxer>(options.input, std::move(interrupted));
        for (const int stream : parts.demuxer->videos()) {
            check_regions(options.filters, *parts.demuxer->format().streams[stream]);
        }
    } catch (const Error&) {
        if (rising.valid()) {
            rising.get();  // a device that is not there is told before any fault of the input
        }
        throw;
    }
    if (rising.valid()) {
        parts.device = rising.get();
    }
}

}  // namespace vfilter
