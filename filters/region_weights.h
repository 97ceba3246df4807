#pragma once
// The weights of a region, picture by picture: only boxes that hold what a region covers have any, so that small
// regions cost little, however large the picture is.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "filters/region_geometry.h"
#include "kernels/blend.h"

namespace vfilter {

/// A plane: its size, and how it is subsampled.
struct SubsampledPlane {
    int width = 0;
    int height = 0;
    int pitch_x = 1;  ///< luma pixels from one sample to the next, a power of two
    int pitch_y = 1;
};

/// What becomes of boxes and masks.
struct WeightRules {
    bool invert = false;
    int feather = 0;
    bool outside = false;  ///< the feather lies outside: all that is covered at all has the whole weight
};

/// Makes weights for pictures of one size. Keeps its memory, so that it allocates nothing once it is warm. Not
/// thread-safe.
class WeightMaker {
public:
    WeightMaker(int width, int height, std::vector<SubsampledPlane> planes, WeightRules rules);

    /// What a picture's region is made of, as it is stored.
    struct Cover {
        bool everywhere = false;            ///< no boxes: the mask alone decides
        std::span<const PixelBox> boxes{};  ///< within the picture
        const GrayImage* mask = nullptr;    ///< of the picture's size, or null
        int fields = 1;                     ///< 2: rows of chroma belong to the rows of luma of their own field
    };
    /// The weights of each plane. A pixel's is 255 in a box and the mask's there, 0 elsewhere, then inverted and
    /// feathered. A sample that covers several pixels has the largest of their weights: where chroma is subsampled,
    /// nothing of the original is left within a region.
    ///
    /// The feather of F pixels sets in within: a weight is scaled by its Chebyshev distance to the nearest pixel of
    /// weight 0, 1 / (F + 1) next to it and 1 from F + 1 on; the picture's edge is no edge of the region. Or it lies
    /// outside: pixels of any weight get 255, and others 1 - d / (F + 1) of it at the distance d from those.
    ///
    /// `stop` is asked now and then, unless it is empty; false if it has said so, with a part of the weights made.
    bool make(const Cover& cover, std::vector<PlaneWeights>& planes, const std::function<bool()>& stop = {});

private:
    // Asks whether it is to stop, once so much has been worked on since it has last.
    [[nodiscard]] bool stopped(int samples);
    void choose_boxes(const Cover& cover);
    void merge_boxes();
    void fill_luma(const Cover& cover, const PixelBox& box);
    void measure_distances(const PixelBox& box);
    void feather_luma(const PixelBox& box);
    void add_plane(const SubsampledPlane& plane, const PixelBox& box, int fields, PlaneWeights& weights);
    [[nodiscard]] PixelBox bounds_of(const GrayImage& mask) const;

    int width_;
    int height_;
    std::vector<SubsampledPlane> planes_;
    WeightRules rules_;
    int unit_x_ = 1;  ///< luma pixels at multiples of which boxes begin, so that those of chroma share no sample
    int unit_y_ = 1;
    std::vector<PixelBox> boxes_;
    std::vector<std::uint8_t> luma_;       // of one box
    std::vector<std::uint16_t> distance_;  // of one box and a pixel around it
    const std::function<bool()>* stop_ = nullptr;
    std::int64_t unasked_ = 0;  ///< samples
    bool stopped_ = false;
};

}  // namespace vfilter
