#include "library/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "library/failure.h"

namespace vfilter {

namespace {

constexpr int max_side = 1 << 20;
constexpr double max_extent = 0x1p62;  // bytes; sums and signs of such distances hold in ptrdiff_t

[[noreturn]] void refuse(const std::string& what) {
    throw Failure(VFILTER_ERROR_PICTURE, what);
}

Order order_of(const Pictures& made, const std::string& name) {
    const std::ptrdiff_t sample = made.sample;
    if (made.pixel_pitch == sample) {
        return Order::planar;
    }
    if (made.channels > 1 && made.pixel_pitch == made.channels * sample && std::abs(made.channel_pitch) == sample) {
        return made.channel_pitch > 0 ? Order::interleaved : Order::interleaved_backwards;
    }
    refuse(name + ": samples of a row lie side by side, those of one channel or of all " +
           std::to_string(made.channels) + "; a pixel_pitch of " + std::to_string(made.pixel_pitch) +
           " bytes with a channel_pitch of " + std::to_string(made.channel_pitch) + " is neither");
}

std::ptrdiff_t row_bytes(const Pictures& pictures) {
    const int channels = pictures.order == Order::planar ? 1 : pictures.channels;
    return std::ptrdiff_t{pictures.width} * channels * pictures.sample;
}

double bytes_between(std::ptrdiff_t pitch, std::ptrdiff_t count) {
    return std::abs(static_cast<double>(pitch)) * static_cast<double>(count - 1);
}

// Addresses from the first byte to after the last.
std::pair<std::uintptr_t, std::uintptr_t> range_of(const Pictures& pictures) {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = pictures.width * pictures.pixel_pitch;
    const auto add = [&](std::ptrdiff_t pitch, std::ptrdiff_t count) {
        (pitch < 0 ? low : high) += pitch * (count - 1);
    };
    add(pictures.row_pitch, pictures.height);
    add(pictures.picture_pitch, pictures.count);
    if (pictures.order == Order::planar) {
        add(pictures.channel_pitch, pictures.channels);
    } else if (pictures.order == Order::interleaved_backwards) {
        const std::ptrdiff_t before = (pictures.channels - 1) * pictures.sample;
        low -= before;
        high -= before;
    }
    const auto base = reinterpret_cast<std::uintptr_t>(pictures.data);
    return {base + static_cast<std::uintptr_t>(low), base + static_cast<std::uintptr_t>(high)};
}

struct Dimension {
    std::ptrdiff_t pitch;
    std::ptrdiff_t count;
};

/// Bytes of pictures: rows of them from the lowest address on, repeated in some dimensions.
struct Spread {
    std::uintptr_t first;
    std::ptrdiff_t row;                 ///< bytes
    std::vector<Dimension> dimensions;  ///< upwards, the largest pitch first

    explicit Spread(const Pictures& pictures) : first(range_of(pictures).first), row(row_bytes(pictures)) {
        const bool planar = pictures.order == Order::planar;
        for (const Dimension& one :
             {Dimension{pictures.row_pitch, pictures.height}, Dimension{pictures.picture_pitch, pictures.count},
              Dimension{pictures.channel_pitch, planar ? pictures.channels : 1}}) {
            if (one.count > 1 && one.pitch != 0) {
                dimensions.push_back({std::abs(one.pitch), one.count});
            }
        }
        std::ranges::sort(dimensions, std::ranges::greater(), &Dimension::pitch);
    }
    [[nodiscard]] double rows() const {
        double all = 1;
        for (const Dimension& one : dimensions) {
            all *= static_cast<double>(one.count);
        }
        return all;
    }
    /// Of one of the parts that `level` dimensions repeat.
    [[nodiscard]] std::ptrdiff_t extent(std::size_t level) const {
        std::ptrdiff_t sum = row;
        for (std::size_t i = level; i < dimensions.size(); ++i) {
            sum += dimensions[i].pitch * (dimensions[i].count - 1);
        }
        return sum;
    }
};

/// Whether parts that `level` dimensions repeat have no byte in common; `away`: from the first one's begin to the
/// other's. Dimensions of one pitch are taken to be endless, others to meet.
bool apart(std::ptrdiff_t away, const Spread& a, const Spread& b, std::size_t level) {
    if (away >= a.extent(level) || away + b.extent(level) <= 0) {
        return true;
    }
    if (level == a.dimensions.size() || level == b.dimensions.size() ||
        a.dimensions[level].pitch != b.dimensions[level].pitch) {
        return false;
    }
    const std::ptrdiff_t pitch = a.dimensions[level].pitch;
    if (std::max(a.extent(level + 1), b.extent(level + 1)) > pitch) {
        return false;  // a source's parts may lie one over the other
    }
    const std::ptrdiff_t place = away % pitch + (away % pitch < 0 ? pitch : 0);
    return apart(place, a, b, level + 1) && apart(place - pitch, a, b, level + 1);
}

// One of them, at the place that it has.
Pictures alone(const Pictures& pictures, std::ptrdiff_t picture) {
    Pictures made = pictures.part(picture, 1);
    if (made.places != nullptr) {
        made.data = static_cast<unsigned char*>(made.places[0]);
        made.places = nullptr;
    }
    return made;
}

struct Bytes {
    std::uintptr_t first;
    std::uintptr_t end;
    bool second;  ///< of two spreads
};

/// Adds where each row of the parts lies that `level` dimensions repeat.
void add_rows(const Spread& spread, std::size_t level, std::uintptr_t first, bool second, std::vector<Bytes>& rows) {
    if (level == spread.dimensions.size()) {
        rows.push_back({first, first + static_cast<std::uintptr_t>(spread.row), second});
        return;
    }
    const auto [pitch, count] = spread.dimensions[level];
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        add_rows(spread, level + 1, first + static_cast<std::uintptr_t>(pitch * i), second, rows);
    }
}

/// Whether both have a byte in common: row by row where their pitches do not tell.
bool share_bytes(const Spread& a, const Spread& b) {
    if (apart(static_cast<std::ptrdiff_t>(b.first - a.first), a, b, 0)) {
        return false;
    }
    constexpr double most_rows = 1 << 20;  // of more, nobody waits for an answer
    if (a.rows() + b.rows() > most_rows) {
        return true;
    }
    std::vector<Bytes> rows;
    add_rows(a, 0, a.first, false, rows);
    add_rows(b, 0, b.first, true, rows);
    std::ranges::sort(rows, {}, &Bytes::first);
    std::uintptr_t ends[] = {0, 0};  // of both, whose own rows may lie one over the other
    for (const Bytes& row : rows) {
        if (row.first < ends[row.second ? 0 : 1]) {
            return true;
        }
        std::uintptr_t& end = ends[row.second ? 1 : 0];
        end = std::max(end, row.end);
    }
    return false;
}

/// Whether two of the pictures at these places have a byte in common, as the two fields of a frame have none although
/// their rows lie between each other's.
bool share_places(const Pictures& pictures) {
    struct Range {
        std::uintptr_t first;
        std::uintptr_t end;
        std::ptrdiff_t picture;
    };
    std::vector<Range> ranges;
    for (std::ptrdiff_t i = 0; i < pictures.count; ++i) {
        const auto [first, end] = range_of(alone(pictures, i));
        ranges.push_back({first, end, i});
    }
    std::ranges::sort(ranges, {}, &Range::first);
    std::vector<Range> open;  // that reach over the one which is looked at
    for (const Range& range : ranges) {
        std::erase_if(open, [&](const Range& one) { return one.end <= range.first; });
        for (const Range& one : open) {
            if (share_bytes(Spread(alone(pictures, one.picture)), Spread(alone(pictures, range.picture)))) {
                return true;
            }
        }
        open.push_back(range);
    }
    return false;
}

template <class T>
void copy_samples(const unsigned char* from, std::ptrdiff_t from_pitch, unsigned char* to, std::ptrdiff_t to_pitch,
                  int count) {
    for (int x = 0; x < count; ++x, from += from_pitch, to += to_pitch) {
        *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from);
    }
}

}  // namespace

Pictures checked(const vfilter_picture* picture, const std::string& name, int channels, std::size_t sample,
                 const char* whose) {
    if (picture == nullptr || picture->struct_size < offsetof(vfilter_picture, luma_width) ||
        (picture->data == nullptr && picture->places == nullptr)) {
        refuse(name + ": no picture, no struct_size or no data");
    }
    if (picture->places != nullptr && picture->memory != VFILTER_HOST) {
        throw Failure(VFILTER_ERROR_UNSUPPORTED, name + ": places are of host memory");
    }
    if ((picture->memory != VFILTER_HOST && picture->memory != VFILTER_CUDA) ||
        (picture->memory == VFILTER_CUDA && picture->device < 0)) {
        refuse(name + ": its memory is VFILTER_HOST, or VFILTER_CUDA with a device's number");
    }
    if (picture->channels != channels) {
        refuse(name + ": it has " + std::to_string(picture->channels) + " channels, and " + whose + " " +
               std::to_string(channels));
    }
    if (picture->width < 1 || picture->height < 1 || picture->width > max_side || picture->height > max_side ||
        picture->count < 1) {
        refuse(name + ": sides are 1 to " + std::to_string(max_side) + " pixels, and there is a picture at least");
    }
    Pictures made{.data = static_cast<unsigned char*>(picture->data),
                  .sample = static_cast<std::ptrdiff_t>(sample),
                  .width = picture->width,
                  .height = picture->height,
                  .channels = channels,
                  .count = picture->count,
                  .pixel_pitch = picture->pixel_pitch,
                  .row_pitch = picture->row_pitch,
                  .channel_pitch = channels > 1 ? picture->channel_pitch : 0,
                  .picture_pitch = picture->count > 1 && picture->places == nullptr ? picture->picture_pitch : 0,
                  .device = picture->memory == VFILTER_CUDA ? picture->device : -1,
                  .places = picture->places};
    const double extent = bytes_between(made.pixel_pitch, made.width) + bytes_between(made.row_pitch, made.height) +
                          bytes_between(made.channel_pitch, made.channels) +
                          bytes_between(made.picture_pitch, made.count);
    if (extent >= max_extent) {
        refuse(name + ": its pitches lead farther than addresses reach");
    }
    made.order = order_of(made, name);
    if (picture->struct_size >= offsetof(vfilter_picture, luma_height) + sizeof(picture->luma_height)) {
        made.luma_width = picture->luma_width;
        made.luma_height = picture->luma_height;
    }
    bool aligned = true;
    for (std::ptrdiff_t i = 0; i < (made.places != nullptr ? made.count : 1); ++i) {
        const void* const place = made.places != nullptr ? made.places[i] : made.data;
        if (place == nullptr) {
            refuse(name + ": a picture has no place");
        }
        aligned = aligned && reinterpret_cast<std::uintptr_t>(place) % sample == 0;
    }
    if (!aligned || made.row_pitch % made.sample != 0 || made.channel_pitch % made.sample != 0 ||
        made.picture_pitch % made.sample != 0) {
        refuse(name + ": its address and pitches are multiples of a sample's " + std::to_string(sample) + " bytes");
    }
    return made;
}

void check_same_memory(const Pictures& source, const Pictures& other, const std::string& name) {
    const auto place = [](const Pictures& pictures) {
        return pictures.device < 0 ? std::string("host memory")
                                   : "the memory of GPU " + std::to_string(pictures.device);
    };
    if (source.device != other.device) {
        refuse("source is in " + place(source) + ", and " + name + " in " + place(other));
    }
}

void check_places(const Pictures& pictures, const std::string& name) {
    if (pictures.places != nullptr) {
        check_places(alone(pictures, 0), name);
        if (share_places(pictures)) {
            refuse(name + ": some of its pictures share their places");
        }
        return;
    }
    const bool planar = pictures.order == Order::planar;
    std::array<Dimension, 3> dimensions{{{std::abs(pictures.row_pitch), pictures.height},
                                         {std::abs(pictures.picture_pitch), pictures.count},
                                         {std::abs(pictures.channel_pitch), planar ? pictures.channels : 1}}};
    std::ranges::sort(dimensions, {}, &Dimension::pitch);
    std::ptrdiff_t extent = row_bytes(pictures);
    for (const auto& [pitch, count] : dimensions) {
        if (count > 1 && pitch < extent) {
            refuse(name + ": some of its samples share their place, as a pitch of " + std::to_string(pitch) +
                   " bytes is less than the " + std::to_string(extent) + " within it");
        }
        extent += count > 1 ? pitch * (count - 1) : 0;
    }
}

void check_apart(const Pictures& source, const char* name, const Pictures& result) {
    if (source.places != nullptr) {
        for (std::ptrdiff_t i = 0; i < source.count; ++i) {
            check_apart(alone(source, i), name, result);
        }
        return;
    }
    if (result.places != nullptr) {
        for (std::ptrdiff_t i = 0; i < result.count; ++i) {
            check_apart(source, name, alone(result, i));
        }
        return;
    }
    if (!share_bytes(Spread(source), Spread(result))) {
        return;
    }
    refuse(std::string(name) +
           " and result share memory: a result is made of samples that have to stay as they are meanwhile");
}

void check_luma(const Pictures& pictures, const std::string& name, const vfilter_format& format) {
    const auto fits = [](int luma, int side, int subsampling) {
        return luma == 0 || (luma > 0 && (luma - 1) >> subsampling == side - 1);
    };
    if (!fits(pictures.luma_width, pictures.width, format.subsampling_x) ||
        !fits(pictures.luma_height, pictures.height, format.subsampling_y)) {
        refuse(name + ": a plane of " + std::to_string(pictures.width) + "x" + std::to_string(pictures.height) +
               " is not of a picture of " + std::to_string(pictures.luma_width) + "x" +
               std::to_string(pictures.luma_height) + " with the format's subsampling");
    }
}

Pictures packed(const Pictures& like, Order order) {
    const std::ptrdiff_t size = like.sample;
    Pictures made = like;
    made.data = nullptr;
    made.places = nullptr;
    made.order = order;
    if (order == Order::planar) {
        made.pixel_pitch = size;
        made.row_pitch = made.width * size;
        made.channel_pitch = made.row_pitch * made.height;
    } else {
        made.pixel_pitch = made.channels * size;
        made.row_pitch = made.width * made.pixel_pitch;
        made.channel_pitch = order == Order::interleaved ? size : -size;
    }
    made.picture_pitch = size * made.width * made.height * made.channels;
    return made;
}

std::size_t packed_bytes(const Pictures& packed) {
    const std::ptrdiff_t one = packed.picture_pitch;  // below 2^44
    if (packed.count > std::numeric_limits<std::ptrdiff_t>::max() / one) {
        throw Failure(VFILTER_ERROR_MEMORY, "there is not enough memory");
    }
    return static_cast<std::size_t>(one * packed.count);
}

void copy_rows(const Pictures& from, const Pictures& to, std::ptrdiff_t picture, int channel, int first, int last) {
    for (int y = first; y < last; ++y) {
        const unsigned char* const source = from.place(picture, channel, y);
        unsigned char* const result = to.place(picture, channel, y);
        if (from.order == Order::planar && to.order == Order::planar) {
            std::memcpy(result, source, static_cast<std::size_t>(from.width * from.sample));
        } else if (from.sample == 1) {
            copy_samples<std::uint8_t>(source, from.pixel_pitch, result, to.pixel_pitch, from.width);
        } else {
            copy_samples<std::uint16_t>(source, from.pixel_pitch, result, to.pixel_pitch, from.width);
        }
    }
}

}  // namespace vfilter
