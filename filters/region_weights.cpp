#include "filters/region_weights.h"

#include <algorithm>
#include <utility>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter {

WeightMaker::WeightMaker(int width, int height, std::vector<SubsampledPlane> planes, WeightRules rules)
    : width_(width), height_(height), planes_(std::move(planes)), rules_(rules) {
    for (const SubsampledPlane& plane : planes_) {
        unit_x_ = std::max(unit_x_, plane.pitch_x);
        unit_y_ = std::max(unit_y_, 2 * plane.pitch_y);  // of both fields
    }
}

// Where the mask is not black.
PixelBox WeightMaker::bounds_of(const GrayImage& mask) const {
    PixelBox bounds{width_, height_, 0, 0};
    for (int y = 0; y < height_; ++y) {
        const auto row = mask.samples.begin() + std::ptrdiff_t{y} * width_;
        const auto black = [](std::uint8_t weight) { return weight == 0; };
        const auto first = std::find_if_not(row, row + width_, black);
        if (first == row + width_) {
            continue;
        }
        const auto last = std::find_if_not(std::reverse_iterator(row + width_), std::reverse_iterator(row), black);
        bounds.left = std::min(bounds.left, static_cast<int>(first - row));
        bounds.right = std::max(bounds.right, static_cast<int>(last.base() - row));
        bounds.top = std::min(bounds.top, y);
        bounds.bottom = y + 1;
    }
    return bounds;
}

// Disjoint boxes that hold every pixel of a weight above 0, and do not touch.
void WeightMaker::choose_boxes(const Cover& cover) {
    boxes_.clear();
    if (rules_.invert) {
        boxes_.push_back({0, 0, width_, height_});
        return;
    }
    if (cover.everywhere) {
        boxes_.push_back(cover.mask != nullptr ? bounds_of(*cover.mask) : PixelBox{0, 0, width_, height_});
    } else {
        boxes_.assign(cover.boxes.begin(), cover.boxes.end());
    }
    std::erase_if(boxes_, [](const PixelBox& box) { return box.empty(); });
    const int more = rules_.outside ? rules_.feather : 0;
    for (PixelBox& box : boxes_) {
        const auto down = [](int place, int unit) { return std::max(place, 0) / unit * unit; };
        box = {down(box.left - more, unit_x_), down(box.top - more, unit_y_),
               std::min(round_up(box.right + more, unit_x_), width_),
               std::min(round_up(box.bottom + more, unit_y_), height_)};
    }
    // The last rows of luma may belong to a row of chroma further up, where the height is no multiple.
    const int whole = height_ / unit_y_ * unit_y_;
    for (PixelBox& box : boxes_) {
        if (box.bottom > whole) {
            box.top = std::min(box.top, std::max(whole - unit_y_, 0));
        }
    }
    merge_boxes();
}

void WeightMaker::merge_boxes() {
    const auto touch = [](const PixelBox& a, const PixelBox& b) {
        return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
    };
    // A larger box may touch others that it did not: so once more.
    for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            for (std::size_t j = i + 1; j < boxes_.size();) {
                PixelBox& box = boxes_[i];
                const PixelBox& other = boxes_[j];
                if (!touch(box, other)) {
                    ++j;
                    continue;
                }
                box = {std::min(box.left, other.left), std::min(box.top, other.top), std::max(box.right, other.right),
                       std::max(box.bottom, other.bottom)};
                boxes_[j] = boxes_.back();
                boxes_.pop_back();
                grown = true;
            }
        }
    }
}

void WeightMaker::fill_luma(const Cover& cover, const PixelBox& box) {
    const auto width = static_cast<std::size_t>(box.width());
    luma_.assign(width * static_cast<std::size_t>(box.height()), cover.everywhere ? 255 : 0);
    for (const PixelBox& one : cover.boxes) {
        const int left = std::max(one.left, box.left);
        const int right = std::min(one.right, box.right);
        for (int y = std::max(one.top, box.top); y < std::min(one.bottom, box.bottom) && left < right; ++y) {
            if (stopped(right - left)) {
                return;
            }
            const std::ptrdiff_t at = std::ptrdiff_t{y - box.top} * box.width() + left - box.left;
            std::fill_n(luma_.begin() + at, right - left, std::uint8_t{255});
        }
    }
    if (cover.mask != nullptr) {
        for (int y = box.top; y < box.bottom; ++y) {
            const auto mask = cover.mask->samples.begin() + std::ptrdiff_t{y} * width_ + box.left;
            const auto row = luma_.begin() + std::ptrdiff_t{y - box.top} * box.width();
            std::transform(row, row + box.width(), mask, row,
                           [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); });
        }
    }
    if (rules_.invert) {
        for (std::uint8_t& weight : luma_) {
            weight = static_cast<std::uint8_t>(255 - weight);
        }
    }
    if (rules_.feather > 0 || rules_.outside) {
        feather_luma(box);
    }
}

// Chebyshev distances, up to feather + 1, to the nearest pixel of weight 0, or of any other weight if the feather lies
// outside. What is around the box, in the picture, has the weight 0.
void WeightMaker::measure_distances(const PixelBox& box) {
    const int width = box.width() + 2;
    const int height = box.height() + 2;
    const auto far_away = static_cast<std::uint16_t>(rules_.feather + 1);
    distance_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), far_away);
    const auto at = [&](int x, int y) -> std::uint16_t& {
        return distance_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
    };
    for (int y = 0; y < height && !stopped(width); ++y) {
        for (int x = 0; x < width; ++x) {
            const bool ring = x == 0 || y == 0 || x == width - 1 || y == height - 1;
            const int picture_x = box.left + x - 1;
            const int picture_y = box.top + y - 1;
            const bool outside = picture_x < 0 || picture_y < 0 || picture_x >= width_ || picture_y >= height_;
            const bool none = ring ? !outside
                                   : luma_[static_cast<std::size_t>(y - 1) * static_cast<std::size_t>(box.width()) +
                                           static_cast<std::size_t>(x - 1)] == 0;
            if (rules_.outside ? !ring && !none : none) {
                at(x, y) = 0;
            }
        }
    }
    const auto spread = [&](int x, int y, int from_x, int from_y) {
        if (from_x >= 0 && from_x < width && from_y >= 0 && from_y < height) {
            at(x, y) = std::min(at(x, y), static_cast<std::uint16_t>(at(from_x, from_y) + 1));
        }
    };
    for (int y = 0; y < height && !stopped(width); ++y) {
        for (int x = 0; x < width; ++x) {
            spread(x, y, x - 1, y);
            for (int from = x - 1; from <= x + 1; ++from) {
                spread(x, y, from, y - 1);
            }
        }
    }
    for (int y = height - 1; y >= 0 && !stopped(width); --y) {
        for (int x = width - 1; x >= 0; --x) {
            spread(x, y, x + 1, y);
            for (int from = x - 1; from <= x + 1; ++from) {
                spread(x, y, from, y + 1);
            }
        }
    }
}

void WeightMaker::feather_luma(const PixelBox& box) {
    measure_distances(box);
    const int whole = rules_.feather + 1;
    std::uint8_t* weight = luma_.data();
    for (int y = 1; y <= box.height() && !stopped(box.width()); ++y) {
        const std::uint16_t* const distance =
            distance_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(box.width() + 2) + 1;
        for (int x = 0; x < box.width(); ++x, ++weight) {
            const int full = rules_.outside ? 255 : *weight;
            const int share = rules_.outside ? whole - distance[x] : distance[x];
            *weight = static_cast<std::uint8_t>((full * share + whole / 2) / whole);
        }
    }
}

namespace {

// Raises weights to the largest of the kPitch ones that each of them is made of.
template <int kPitch>
void raise_weights(const std::uint8_t* from, int width, std::uint8_t* to) {
    const int whole = width / kPitch;
    for (int x = 0; x < whole; ++x) {
        std::uint8_t most = to[x];
        for (int i = 0; i < kPitch; ++i) {
            most = std::max(most, from[x * kPitch + i]);
        }
        to[x] = most;
    }
    for (int x = whole * kPitch; x < width; ++x) {
        to[whole] = std::max(to[whole], from[x]);
    }
}

void raise_weights(const std::uint8_t* from, int width, int pitch, std::uint8_t* to) {
    switch (pitch) {
        case 1:
            return raise_weights<1>(from, width, to);
        case 2:
            return raise_weights<2>(from, width, to);
        case 4:
            return raise_weights<4>(from, width, to);
        default:
            for (int x = 0; x < width; ++x) {
                to[x / pitch] = std::max(to[x / pitch], from[x]);
            }
    }
}

}  // namespace

// The part of a plane that a box of luma covers.
void WeightMaker::add_plane(const SubsampledPlane& plane, const PixelBox& box, int fields, PlaneWeights& weights) {
    const WeightBox made{box.left / plane.pitch_x, box.top / plane.pitch_y,
                         ceil_div(box.right, plane.pitch_x) - box.left / plane.pitch_x,
                         ceil_div(box.bottom, plane.pitch_y) - box.top / plane.pitch_y, weights.samples.size()};
    weights.boxes.push_back(made);
    if (plane.pitch_x == 1 && plane.pitch_y == 1) {
        weights.samples.insert(weights.samples.end(), luma_.begin(), luma_.end());
        return;
    }
    const auto count = static_cast<std::size_t>(made.width) * static_cast<std::size_t>(made.height);
    weights.samples.resize(made.first + count, 0);
    for (int y = made.top; y < made.top + made.height && !stopped(made.width); ++y) {
        std::uint8_t* const to = weights.samples.data() + made.first + std::ptrdiff_t{y - made.top} * made.width;
        // Row y is row y / fields of its field, whose rows of luma are `fields` apart. The last one has all that are
        // left, where a picture's height is no multiple.
        const int field = y % fields;
        const int first = y / fields * plane.pitch_y;
        const bool last_row = y + fields >= plane.height;
        for (int row = first; last_row || row < first + plane.pitch_y; ++row) {
            const int luma_row = row * fields + field;
            if (luma_row >= box.bottom) {
                break;
            }
            const std::uint8_t* const from = luma_.data() + std::ptrdiff_t{luma_row - box.top} * box.width();
            raise_weights(from, box.width(), plane.pitch_x, to);
        }
    }
}

bool WeightMaker::stopped(int samples) {
    constexpr std::int64_t between_questions = 1 << 20;  // some milliseconds of the slowest work
    unasked_ += samples;
    if (stop_ != nullptr && !stopped_ && unasked_ >= between_questions) {
        unasked_ = 0;
        stopped_ = (*stop_)();
    }
    return stopped_;
}

bool WeightMaker::make(const Cover& cover, std::vector<PlaneWeights>& planes, const std::function<bool()>& stop) {
    stop_ = stop ? &stop : nullptr;
    stopped_ = false;
    planes.resize(planes_.size());
    for (PlaneWeights& plane : planes) {
        plane.boxes.clear();
        plane.samples.clear();
    }
    choose_boxes(cover);
    for (const PixelBox& box : boxes_) {
        fill_luma(cover, box);
        for (std::size_t i = 0; i < planes_.size() && !stopped_; ++i) {
            add_plane(planes_[i], box, cover.fields, planes[i]);
        }
    }
    stop_ = nullptr;
    return !stopped_;
}

}  // namespace vfilter
