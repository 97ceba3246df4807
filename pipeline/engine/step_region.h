#pragma once
// When and where a step of a chain applies, picture by picture.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filters/region_weights.h"
#include "filters/spans.h"
#include "io/formats/gray_picture.h"
#include "pipeline/engine/filter_engine.h"

namespace vfilter {

struct PlaneLayout;

/// Where a picture is in the input; `index` and `pts` are those of its Frame.
PictureTime picture_time(const PictureClock& clock, std::int64_t index, std::int64_t pts);

/// One thread uses it.
class StepRegion {
public:
    /// Reads masks. Throws Error(usage) if the region is not within the picture.
    StepRegion(const FilterSpec& filter, const PictureFormat& format, const std::vector<PlaneLayout>& layouts);

    /// What a step does to a picture.
    struct Use {
        bool works = false;  ///< false: nothing
        /// For each plane; null: it applies everywhere. Valid until the next call.
        const std::vector<PlaneWeights>* weights = nullptr;
    };
    /// `fields` is 2 for an interlaced picture. Counts the picture for its regions and spans.
    Use at(const PictureTime& picture, int fields);

    /// Whether it applies only to a part of the picture.
    [[nodiscard]] bool partial() const { return !everywhere_; }
    /// Whether the weights are the same for all pictures with the same number of fields, and stay valid.
    [[nodiscard]] bool lasting() const { return !tracks_ && !masks_; }
    /// The pictures counted so far.
    [[nodiscard]] const StepCount& count() const { return count_; }

private:
    bool is_enabled(const PictureTime& picture);
    const std::vector<PlaneWeights>& lasting_weights(int fields);
    const std::vector<PlaneWeights>& moving_weights(const PictureTime& picture, int fields);
    void find_boxes(const PictureTime& picture);
    void set_mask(const std::vector<std::uint8_t>& shown);

    PictureFormat format_;
    std::vector<Span> enable_;
    bool everywhere_;
    Extent pad_;
    std::shared_ptr<const Tracks> tracks_;
    std::optional<GrayPictures> masks_;  // a mask of several pictures, one for each
    std::optional<GrayImage> mask_;      // as stored; of this picture, if there are several
    std::optional<WeightMaker> maker_;
    std::vector<PixelBox> boxes_;                                        // as stored; of this picture, if they move
    std::vector<Tracks::Place> places_;                                  // of tracks in this picture
    std::vector<PlaneWeights> moving_;                                   // of this picture
    std::array<std::optional<std::vector<PlaneWeights>>, 2> lasting_{};  // of one field and of two
    StepCount count_;
};

}  // namespace vfilter
