#include "pipeline/live/previewed_video.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vfilter {

namespace {

PictureTime time_for(const FilterPicture& pictures, const PictureTime& shown) {
    if (pictures.last_of_chain) {
        return shown;
    }
    return {std::llround((shown.seconds - pictures.first) * pictures.rate), shown.seconds};
}

bool works_at(const FilterSpec& filter, const PictureTime& picture) {
    return filter.enable.empty() ||
           std::ranges::any_of(filter.enable, [&](const Span& span) { return span.holds(picture); });
}

}  // namespace

std::vector<Outline> outlines_of(const std::vector<FilterSpec>& chain, const PreviewedVideo& video,
                                 const PictureTime& picture) {
    std::vector<Outline> outlines;
    std::vector<Tracks::Place> places;
    for (std::size_t i = 0; i < chain.size() && i < video.filters.size(); ++i) {
        const Region& region = chain[i].region;
        const FilterPicture& pictures = video.filters[i];
        const PictureTime time = time_for(pictures, picture);
        std::string number = std::to_string(i + 1);
        number += region.invert ? " outside" : "";
        number += works_at(chain[i], time) ? "" : " (not now)";
        if (region.tracks) {
            region.tracks->find(time, places);
            for (const Tracks::Place& place : places) {
                outlines.push_back({i, moving_box(place.box, region.pad, pictures.width, pictures.height),
                                    fmt::format("{}: {}", number, region.tracks->tracks[place.track].id)});
            }
        } else {
            for (const PixelBox& box : fixed_boxes(region, pictures.width, pictures.height)) {
                outlines.push_back({i, box, number});
            }
        }
    }
    std::erase_if(outlines, [](const Outline& outline) { return outline.box.empty(); });
    return outlines;
}

}  // namespace vfilter
