#pragma once
// What a preview needs to know about a video besides its pictures.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "filters/filters.h"
#include "filters/region_geometry.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/live/preview_picture.h"

namespace vfilter {

/// The pictures that a filter receives, as displayed.
struct FilterPicture {
    int width = 1;
    int height = 1;
    double rate = 25;           ///< pictures per second
    double first = 0;           ///< seconds from the input's beginning to its first picture
    bool last_of_chain = true;  ///< no graph follows it: its pictures have the numbers of those displayed
    bool seen_filtered = true;  ///< a place in them is the same place in the filtered picture
    bool seen_original = true;  ///< and in the original
};

struct PreviewedVideo {
    PictureClock clock{};  ///< for the pictures that arrive
    bool live = false;
    bool paced = false;  ///< a file being played: each picture has its time
    ShownTurns turns{};
    std::vector<FilterPicture> filters{};  ///< one for each of the chain
    /// The part that is shown, in seconds from the input's beginning.
    double begin = 0;
    std::optional<double> end{};
    std::string no_seeking{};  ///< why the user cannot change the position; "" if that is possible
};

/// A rectangle to draw, in pixels of the filter's picture.
struct Outline {
    std::size_t filter = 0;
    PixelBox box{};
    std::string label{};  ///< the filter's number, and a track's name
};

/// Where the filters of a chain apply in a picture, as far as rectangles can show: masks have no outline.
std::vector<Outline> outlines_of(const std::vector<FilterSpec>& chain, const PreviewedVideo& video,
                                 const PictureTime& picture);

}  // namespace vfilter
