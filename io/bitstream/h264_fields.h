#pragma once
// Which packets of H.264 begin a picture, and which contain its second field.

#include <array>
#include <cstdint>
#include <optional>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// Reads the packets of one video in decoding order; for codecs other than H.264 each begins a picture. Fields are
/// paired as in libavcodec: the second has the other parity and the first's frame_num (ITU-T H.264, 7.4.3).
class H264Fields {
public:
    explicit H264Fields(const AVCodecParameters& codec);

    /// For the next packet: whether it contains only the second field of the picture that the previous one begins.
    bool completes(const AVPacket& packet);
    /// The number of fields without a second field. At the end of the input.
    [[nodiscard]] std::int64_t lone() const { return lone_ + (first_ ? 1 : 0); }
    /// Whether there have been packets with single fields.
    [[nodiscard]] bool any() const { return any_; }

private:
    // The part of a sequence parameter set that slice headers need.
    struct Sequence {
        bool fields = false;  // the stream may have some
        bool planes = false;  // are coded separately
        int frame_bits = 0;   // of frame_num
    };
    struct Field {
        bool bottom;
        unsigned frame;  // frame_num
        bool operator==(const Field&) const = default;
    };
    static constexpr std::size_t max_sequences = 32;
    static constexpr std::size_t max_pictures = 256;

    void read_extradata(const std::uint8_t* data, std::size_t size);
    void read_sets(const Nal& nal);
    [[nodiscard]] bool any_fields() const;
    bool begins_picture(const Nal& slice);

    bool h264_;
    std::size_t length_size_ = 0;
    std::array<Sequence, max_sequences> sequences_{};
    std::array<std::uint8_t, max_pictures> sequence_of_{};  // by picture parameter set
    std::optional<Field> first_;                            // of a picture whose second field is missing
    bool inside_ = false;                                   // a slice of this packet has been read
    std::optional<Field> latest_;                           // the field of the latest slice, empty for whole pictures
    std::int64_t lone_ = 0;
    bool any_ = false;
};

}  // namespace vfilter
