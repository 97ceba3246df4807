#include "io/codec/lost_bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "io/bitstream/nal.h"

namespace vfilter {

namespace {

constexpr std::size_t word_size = sizeof(std::uint64_t);
// The shortest run that is looked for: every one of that length holds a word of them.
constexpr std::size_t shortest = 2 * word_size - 1;
constexpr std::size_t hundreds = 256;

// Arithmetic coders, codes whose zeroes are no or rare symbols (FFmpeg's HuffYUV gives the longest code the zeroes),
// and DV, whose blocks begin with other bytes every 80.
constexpr std::array without_hundreds{
    AV_CODEC_ID_VP8,       AV_CODEC_ID_VP9,     AV_CODEC_ID_AV1,     AV_CODEC_ID_JPEG2000,  AV_CODEC_ID_FFV1,
    AV_CODEC_ID_SNOW,      AV_CODEC_ID_HUFFYUV, AV_CODEC_ID_FFVHUFF, AV_CODEC_ID_MSMPEG4V1, AV_CODEC_ID_MSMPEG4V2,
    AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_WMV1,    AV_CODEC_ID_WMV2,    AV_CODEC_ID_H263,      AV_CODEC_ID_H263P,
    AV_CODEC_ID_FLV1,      AV_CODEC_ID_DVVIDEO};

struct Run {
    const std::uint8_t* begin;
    const std::uint8_t* end;
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

// Whether what a run of zeroes means there is known.
bool tells_lost_bytes(AVCodecID codec) {
    constexpr std::array in_units{AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
                                  AV_CODEC_ID_MPEG4};
    return std::ranges::find(in_units, codec) != in_units.end() ||
           std::ranges::find(without_hundreds, codec) != without_hundreds.end();
}

// The next run of at least `shortest` zeroes; empty at the end if there is none.
Run next_run(const std::uint8_t* at, const std::uint8_t* end) {
    for (; static_cast<std::size_t>(end - at) >= word_size; at += word_size) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at, word_size);
        if (bytes != 0) {
            continue;
        }
        const std::uint8_t* const behind = std::find_if(at, end, [](std::uint8_t byte) { return byte != 0; });
        return {at, behind};
    }
    return {end, end};
}

// `begin` of a run may lie up to a word behind its first zero.
bool has_run_inside(const std::uint8_t* begin, const std::uint8_t* end, std::size_t least) {
    for (Run run = next_run(begin, end); run.end != end; run = next_run(run.end, end)) {
        if (run.size() + word_size > least) {
            return true;
        }
    }
    return false;
}

// Of a picture: the others may be anybody's.
bool is_slice(AVCodecID codec, const Nal& unit) {
    if (unit.size == 0) {
        return false;
    }
    const unsigned type = nal_type(codec, unit);
    return codec == AV_CODEC_ID_H264 ? type >= avc::slice && type <= avc::idr : type <= hevc::last_entry;
}

bool is_slice_of_mpeg(AVCodecID codec, std::uint8_t code) {
    constexpr std::uint8_t vop = 0xB6;
    constexpr std::uint8_t last_slice = 0xAF;
    return codec == AV_CODEC_ID_MPEG4 ? code == vop : code >= 1 && code <= last_slice;
}

}  // namespace

bool has_lost_bytes(AVCodecID codec, const AVPacket& packet, std::size_t length_size) {
    const std::uint8_t* const end = packet.data + packet.size;
    if (!tells_lost_bytes(codec) || next_run(packet.data, end).end == end) {
        return false;
    }
    switch (codec) {
        case AV_CODEC_ID_H264:
        case AV_CODEC_ID_HEVC:
            return std::ranges::any_of(nals_of(packet, length_size), [&](const Nal& unit) {
                return is_slice(codec, unit) && has_run_inside(unit.data, unit.data + unit.size, shortest);
            });
        case AV_CODEC_ID_MPEG1VIDEO:
        case AV_CODEC_ID_MPEG2VIDEO:
        case AV_CODEC_ID_MPEG4:
            return std::ranges::any_of(nals_of(packet, 0), [&](const Nal& unit) {
                return unit.size > 0 && is_slice_of_mpeg(codec, unit.data[0]) &&
                       has_run_inside(unit.data, unit.data + unit.size, shortest);
            });
        default:
            return has_run_inside(packet.data, end, hundreds);
    }
}

}  // namespace vfilter
