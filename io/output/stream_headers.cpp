#include "io/output/stream_headers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>

#include "io/extradata.h"
#include "io/output/picture_notes.h"
#include "io/output/tags.h"

namespace vfilter {

namespace {

// Covers are named cover.jpg or cover.png in Matroska, and players may look for no others; readers go by the MIME type.
struct CoverFile {
    AVCodecID codec;
    const char* name;
    const char* mime_type;
};
constexpr CoverFile cover_files[] = {
    {AV_CODEC_ID_MJPEG, "cover.jpg", "image/jpeg"}, {AV_CODEC_ID_PNG, "cover.png", "image/png"},
    {AV_CODEC_ID_GIF, "cover.gif", "image/gif"},    {AV_CODEC_ID_BMP, "cover.bmp", "image/bmp"},
    {AV_CODEC_ID_TIFF, "cover.tif", "image/tiff"},  {AV_CODEC_ID_WEBP, "cover.webp", "image/webp"},
};

const CoverFile* cover_file(AVCodecID codec) {
    const auto* const row = std::ranges::find(cover_files, codec, &CoverFile::codec);
    return row == std::end(cover_files) ? nullptr : row;
}

}  // namespace

bool may_be_attached(AVCodecID codec) {
    return cover_file(codec) != nullptr;
}

void fill_attachment(const AVStream& from, AVStream& to, Strip strip) {
    to.codecpar->codec_type = AVMEDIA_TYPE_ATTACHMENT;
    to.codecpar->codec_id = from.codecpar->codec_id;
    const AVPacket& picture = from.attached_pic;
    set_extradata(*to.codecpar, {picture.data, static_cast<std::size_t>(picture.size)});
    if (strip >= Strip::places) {
        strip_picture(to);
    }
    copy_tags(to.metadata, from.metadata, Coded::as_before, strip);
    if (const CoverFile* const file = cover_file(from.codecpar->codec_id); file != nullptr) {
        av_dict_set(&to.metadata, "filename", file->name, AV_DICT_DONT_OVERWRITE);
        av_dict_set(&to.metadata, "mimetype", file->mime_type, AV_DICT_DONT_OVERWRITE);
    }
}

void strip_picture(AVStream& attachment) {
    AVCodecParameters& codec = *attachment.codecpar;
    const auto clean = without_picture_notes({codec.extradata, static_cast<std::size_t>(codec.extradata_size)});
    if (clean) {
        // Never longer than it was.
        std::fill_n(codec.extradata, codec.extradata_size, std::uint8_t{0});
        std::ranges::copy(*clean, codec.extradata);
        codec.extradata_size = static_cast<int>(clean->size());
    }
}

void strip_picture(AVPacket& cover) {
    const auto clean = without_picture_notes({cover.data, static_cast<std::size_t>(cover.size)});
    if (!clean) {
        return;
    }
    if (av_packet_make_writable(&cover) < 0) {
        throw std::bad_alloc();
    }
    std::ranges::copy(*clean, cover.data);
    av_shrink_packet(&cover, static_cast<int>(clean->size()));
}

BitstreamFilterPtr make_adts_remover(const AVStream& stream) {
    const AVBitStreamFilter* const filter = av_bsf_get_by_name("aac_adtstoasc");
    AVBSFContext* context = nullptr;
    if (stream.codecpar->codec_id != AV_CODEC_ID_AAC || filter == nullptr || av_bsf_alloc(filter, &context) < 0) {
        return nullptr;
    }
    BitstreamFilterPtr remover(context);
    if (avcodec_parameters_copy(context->par_in, stream.codecpar) < 0 || av_bsf_init(context) < 0) {
        return nullptr;
    }
    return remover;
}

void complete_aac(AVStream& to, const AVPacket* packet) {
    if (to.codecpar->extradata_size > 0 || packet == nullptr) {
        return;
    }
    const BitstreamFilterPtr remover = make_adts_remover(to);
    const PacketPtr copy(av_packet_clone(packet));
    if (!remover || !copy || av_bsf_send_packet(remover.get(), copy.get()) < 0 ||
        av_bsf_receive_packet(remover.get(), copy.get()) < 0) {
        return;
    }
    std::size_t size = 0;
    const std::uint8_t* const data = av_packet_get_side_data(copy.get(), AV_PKT_DATA_NEW_EXTRADATA, &size);
    if (data != nullptr) {
        set_extradata(*to.codecpar, {data, size});
    }
}

void drop_side_data(AVPacket& packet, AVPacketSideDataType type) {
    for (int i = packet.side_data_elems - 1; i >= 0; --i) {
        if (packet.side_data[i].type == type) {
            av_freep(&packet.side_data[i].data);
            packet.side_data[i] = packet.side_data[--packet.side_data_elems];
        }
    }
}

}  // namespace vfilter
