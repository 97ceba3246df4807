#include "io/codec/beside_pictures.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "io/bitstream/bytes.h"
#include "io/bitstream/nal.h"
#include "io/codec/picture_changes.h"

namespace vfilter {

namespace {

// Slices in a further layer of H.264 (annexes F and H; the second kind is of depth).
constexpr unsigned avc_extension = 20;
constexpr unsigned avc_depth_extension = 21;
constexpr std::uint64_t alpha_of_webm = 1;  // which libvpx's decoder takes
constexpr std::uint64_t t35 = 4;

// Of ITU-T T.35, as ST 2094-40 has it: of the United States, Samsung's.
bool is_hdr10_plus(Bytes message) {
    constexpr std::uint64_t marks = 0xb5003c0001;
    return big_endian(message, 0, 5) == marks;
}

}  // namespace

BesidePictures::BesidePictures(const AVStream& video)
    : stream_(video.index),
      codec_(video.codecpar->codec_id),
      length_size_(nal_length_size(codec_, video.codecpar->extradata,
                                   static_cast<std::size_t>(video.codecpar->extradata_size))) {}

bool BesidePictures::has_layers(const AVPacket& packet) const {
    if (codec_ != AV_CODEC_ID_H264 && codec_ != AV_CODEC_ID_HEVC) {
        return false;
    }
    return std::ranges::any_of(nals_of(packet, length_size_), [&](const Nal& nal) {
        const unsigned type = nal.size > 1 ? nal_type(codec_, nal) : 0;
        if (codec_ == AV_CODEC_ID_H264) {
            return type == avc_extension || type == avc_depth_extension;
        }
        // nuh_layer_id, of pictures: what says of layers which there are may stand where there are none.
        return nal.size > 1 && type < hevc::video_set && ((nal.data[0] & 1U) << 5U | nal.data[1] >> 3U) > 0;
    });
}

void BesidePictures::look(const AVPacket& packet) {
    if (has_layers(packet)) {
        tell("a second layer (alpha or another view)");
    }
    for (int i = 0; i < packet.side_data_elems; ++i) {
        const AVPacketSideData& data = packet.side_data[i];
        constexpr std::size_t id_size = 8;
        if (data.type != AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL || data.size < id_size) {
            continue;
        }
        const Bytes bytes(data.data, data.size);
        const std::uint64_t id = big_endian(bytes, 0, id_size);
        if (id == t35 && is_hdr10_plus(bytes.subspan(id_size))) {
            tell(picture_data().front().name);
        } else if (id != alpha_of_webm) {
            tell("what the file has beside each picture (BlockAdditional)");
        }
    }
}

void BesidePictures::tell(std::string_view what) {
    if (told_.insert(what).second) {
        spdlog::warn("stream {}: {} is left out", stream_, what);
    }
}

}  // namespace vfilter
