#include "io/bitstream/jpeg_profiles.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>

namespace vfilter {

namespace {

constexpr std::string_view icc_name{"ICC_PROFILE\0", 12};
constexpr std::size_t max_part = 65535 - 2 - icc_name.size() - 2;  // of a segment: its length, the name, two numbers

// Segments APP2, one for each part of the profile.
std::string segments_of(std::string_view profile) {
    const std::size_t count = (profile.size() + max_part - 1) / max_part;
    std::string segments;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view part = profile.substr(i * max_part, max_part);
        const std::size_t length = 2 + icc_name.size() + 2 + part.size();
        segments += {'\xFF', '\xE2', static_cast<char>(length >> 8), static_cast<char>(length & 0xFF)};
        segments += icc_name;
        segments += {static_cast<char>(i + 1), static_cast<char>(count)};
        segments += part;
    }
    return segments;
}

// Behind the beginning of the picture and JFIF's segment, which has to be the first one.
std::size_t place_in(std::string_view jpeg) {
    constexpr std::size_t begin = 2;
    if (jpeg.size() < begin + 4 || jpeg.substr(begin, 2) != "\xFF\xE0") {
        return std::min(begin, jpeg.size());
    }
    const std::size_t length =
        static_cast<std::uint8_t>(jpeg[begin + 2]) * std::size_t{256} + static_cast<std::uint8_t>(jpeg[begin + 3]);
    return std::min(begin + 2 + length, jpeg.size());
}

}  // namespace

void JpegProfiles::take(AVFrame& picture) {
    const AVFrameSideData* const profile = av_frame_get_side_data(&picture, AV_FRAME_DATA_ICC_PROFILE);
    constexpr std::size_t most = 255 * max_part;
    if (profile != nullptr && profile->size > 0 && profile->size <= most) {
        AVBufferRef* const kept = av_buffer_ref(profile->buf);
        if (kept == nullptr) {
            throw std::bad_alloc();
        }
        inside_[picture.pts].reset(kept);
    }
    av_frame_remove_side_data(&picture, AV_FRAME_DATA_ICC_PROFILE);
}

void JpegProfiles::put(AVPacket& packet) {
    const auto found = inside_.find(packet.pts);
    if (found == inside_.end()) {
        return;
    }
    const AVBufferRef& profile = *found->second;
    const std::string segments = segments_of({reinterpret_cast<const char*>(profile.data), profile.size});
    const std::string_view jpeg(reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size));
    const std::size_t place = place_in(jpeg);
    const PacketPtr whole = make_packet();
    if (av_new_packet(whole.get(), packet.size + static_cast<int>(segments.size())) < 0 ||
        av_packet_copy_props(whole.get(), &packet) < 0) {
        throw std::bad_alloc();
    }
    std::uint8_t* to = std::ranges::copy(jpeg.substr(0, place), whole->data).out;
    to = std::ranges::copy(segments, to).out;
    std::ranges::copy(jpeg.substr(place), to);
    av_packet_unref(&packet);
    av_packet_move_ref(&packet, whole.get());
    inside_.erase(found);
}

}  // namespace vfilter
