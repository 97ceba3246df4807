#include "pipeline/engine/step_region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "config/error.h"
#include "io/formats/gray_picture.h"
#include "pipeline/engine/planes.h"

namespace vfilter {

namespace {

// Whether a weight is above 0. A mask that is inverted may leave nothing of a box.
bool covers(const PlaneWeights& plane) {
    const std::vector<std::uint8_t>& samples = plane.samples;
    return !samples.empty() &&
           (samples.front() != 0 || std::memcmp(samples.data(), samples.data() + 1, samples.size() - 1) != 0);
}

int shown_width(const PictureFormat& format) {
    return format.orientation.swaps_sides() ? format.height : format.width;
}
int shown_height(const PictureFormat& format) {
    return format.orientation.swaps_sides() ? format.width : format.height;
}

}  // namespace

StepCount& StepCount::operator+=(const StepCount& other) {
    pictures += other.pictures;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        regions[i].pictures += other.regions[i].pictures;
    }
    std::ranges::transform(spans, other.spans, spans.begin(), std::plus());
    return *this;
}

void add(std::vector<StepCount>& sum, const std::vector<StepCount>& other) {
    for (std::size_t step = 0; step < sum.size(); ++step) {
        sum[step] += other[step];
    }
}

PictureTime picture_time(const PictureClock& clock, std::int64_t index, std::int64_t pts) {
    const double rate = clock.rate > 0 ? clock.rate : 25;
    if (pts == AV_NOPTS_VALUE || clock.time_base.num == 0) {
        return {index + clock.before, static_cast<double>(index + clock.before) / rate};
    }
    const double time = static_cast<double>(pts) * av_q2d(clock.time_base);
    return {clock.cut ? std::llround((time - clock.first_picture) * rate) : index + clock.before, time - clock.first};
}

StepRegion::StepRegion(const FilterSpec& filter, const PictureFormat& format, const std::vector<PlaneLayout>& layouts)
    : format_(format),
      enable_(filter.enable),
      everywhere_(filter.region.everywhere()),
      pad_(filter.region.pad),
      tracks_(filter.region.tracks) {
    count_.spans.resize(enable_.size());
    const Region& region = filter.region;
    if (everywhere_) {
        return;
    }
    try {
        for (const PixelBox& box : fixed_boxes(region, shown_width(format), shown_height(format))) {
            boxes_.push_back(to_stored(box, format.orientation, format.width, format.height));
        }
    } catch (const RegionError& error) {
        throw Error(ExitCode::usage, fmt::format("{}: {}", filter.def->name, error.what()));
    }
    if (!region.mask.empty()) {
        GrayPictures masks(region.mask, shown_width(format), shown_height(format));
        set_mask(masks.at(0));
        if (masks.moves()) {
            masks_ = std::move(masks);
        }
    }
    std::vector<SubsampledPlane> planes;
    planes.reserve(layouts.size());
    for (const PlaneLayout& layout : layouts) {
        planes.push_back({layout.width, layout.height, layout.pitch_x, layout.pitch_y});
    }
    maker_.emplace(format.width, format.height, std::move(planes),
                   WeightRules{.invert = region.invert, .feather = region.feather, .outside = region.outside});
    if (tracks_) {
        for (const Track& track : tracks_->tracks) {
            count_.regions.push_back({track.id, 0});
        }
    } else {
        for (const Rectangle& rectangle : region.rectangles) {
            count_.regions.push_back({to_string(std::vector{rectangle}), 0});
        }
    }
}

bool StepRegion::is_enabled(const PictureTime& picture) {
    bool enabled = enable_.empty();
    for (std::size_t i = 0; i < enable_.size(); ++i) {
        const bool holds = enable_[i].holds(picture);
        count_.spans[i] += holds ? 1 : 0;
        enabled = enabled || holds;
    }
    return enabled;
}

StepRegion::Use StepRegion::at(const PictureTime& picture, int fields) {
    if (!is_enabled(picture)) {
        return {};
    }
    if (everywhere_) {
        ++count_.pictures;
        return {true, nullptr};
    }
    const std::vector<PlaneWeights>& weights = lasting() ? lasting_weights(fields) : moving_weights(picture, fields);
    const bool works = std::ranges::any_of(weights, covers);
    if (!tracks_) {
        for (RegionCount& region : count_.regions) {
            ++region.pictures;
        }
    }
    count_.pictures += works ? 1 : 0;
    return {works, &weights};
}

const std::vector<PlaneWeights>& StepRegion::lasting_weights(int fields) {
    std::optional<std::vector<PlaneWeights>>& made = lasting_[static_cast<std::size_t>(fields - 1)];
    if (!made) {
        maker_->make(
            {.everywhere = boxes_.empty(), .boxes = boxes_, .mask = mask_ ? &*mask_ : nullptr, .fields = fields},
            made.emplace());
    }
    return *made;
}

void StepRegion::set_mask(const std::vector<std::uint8_t>& shown) {
    if (!mask_) {
        mask_.emplace();
    }
    if (format_.orientation.as_stored()) {
        mask_->width = format_.width;
        mask_->height = format_.height;
        mask_->samples = shown;
    } else {
        mask_ = to_stored(GrayImage{shown_width(format_), shown_height(format_), shown}, format_.orientation);
    }
}

void StepRegion::find_boxes(const PictureTime& picture) {
    tracks_->find(picture, places_);
    boxes_.clear();
    for (const Tracks::Place& place : places_) {
        const PixelBox box = moving_box(place.box, pad_, shown_width(format_), shown_height(format_));
        if (!box.empty()) {
            boxes_.push_back(to_stored(box, format_.orientation, format_.width, format_.height));
            ++count_.regions[place.track].pictures;
        }
    }
}

const std::vector<PlaneWeights>& StepRegion::moving_weights(const PictureTime& picture, int fields) {
    if (tracks_) {
        find_boxes(picture);
    }
    if (masks_) {
        set_mask(masks_->at(std::max<std::int64_t>(picture.number, 0)));
    }
    maker_->make({.everywhere = !tracks_ && boxes_.empty(),
                  .boxes = boxes_,
                  .mask = mask_ ? &*mask_ : nullptr,
                  .fields = fields},
                 moving_);
    return moving_;
}

}  // namespace vfilter
