#pragma once
// What a preview has to know of a video besides its pictures.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "filters/filters.h"
#include "filters/region_geometry.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/live/preview_picture.h"

namespace vfilter {

/// The pictures that a filter is given, as they are shown.
struct FilterPicture {
    int width = 1;
    int height = 1;
    double rate = 25;           ///< pictures in a second
    double first = 0;           ///< seconds from the input's beginning to its first picture
    bool last_of_chain = true;  ///< no graph comes after it: its pictures have the numbers of those shown
    bool seen_filtered = true;  ///< what is at a place of them is at that place of the filtered picture
    bool seen_original = true;  ///< and of the original
};

struct PreviewedVideo {
    PictureClock clock{};  ///< of the pictures that come
    bool live = false;
    bool paced = false;  ///< a file that is played: each picture has its time
    ShownTurns turns{};
    std::vector<FilterPicture> filters{};  ///< one for each of the chain
    /// The part that is shown, in seconds from the input's beginning.
    double begin = 0;
    std::optional<double> end{};
    std::string no_seeking{};  ///< why the user cannot choose what comes next; "" if that is possible
};

/// A rectangle to be drawn, in pixels of the filter's picture.
struct Outline {
    std::size_t filter = 0;
    PixelBox box{};
    std::string label{};  ///< the filter's number, and a track's name
};

/// Where the filters of a chain work in a picture, as far as rectangles tell: masks have no outline.
std::vector<Outline> outlines_of(const std::vector<FilterSpec>& chain, const PreviewedVideo& video,
                                 const PictureTime& picture);

}  // namespace vfilter
