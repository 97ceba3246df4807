#pragma once
// Which packets of H.264 begin a picture, and which hold the second field of one.

#include <array>
#include <cstdint>
#include <optional>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// Reads the packets of one video in the order of decoding; of other codecs than H.264 each begins a picture. Fields
/// are put together as libavcodec does: the second has the other parity and the first's frame_num (ITU-T H.264, 7.4.3).
class H264Fields {
public:
    explicit H264Fields(const AVCodecParameters& codec);

    /// Of the next packet: whether it holds the second field of the picture that the one before begins, and no more.
    bool completes(const AVPacket& packet);
    /// Fields whose picture has no other one. At the end of the input.
    [[nodiscard]] std::int64_t lone() const { return lone_ + (first_ ? 1 : 0); }
    /// Whether packets of single fields have come.
    [[nodiscard]] bool any() const { return any_; }

private:
    // Of a sequence parameter set, as far as headers of slices need it.
    struct Sequence {
        bool fields = false;  // there may be some
        bool planes = false;  // are coded apart
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
    std::optional<Field> first_;                            // of a picture that lacks its second
    bool inside_ = false;                                   // a slice of this packet has come
    std::optional<Field> latest_;                           // of which the latest slice is, empty of whole pictures
    std::int64_t lone_ = 0;
    bool any_ = false;
};

}  // namespace vfilter
