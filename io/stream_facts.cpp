#include "io/stream_facts.h"

#include <fmt/format.h>

#include "io/compat.h"

namespace vfilter {

bool is_attached_picture(const AVStream& stream) {
    return (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
}

bool has_side_data(const AVStream& stream, AVPacketSideDataType type) {
    bool found = false;
    for_each_side_data(stream, [&](const AVPacketSideData& data) { found = found || data.type == type; });
    return found;
}

int find_stream(const AVFormatContext& file, AVMediaType type, std::size_t place) {
    for (unsigned i = 0; i < file.nb_streams; ++i) {
        const AVStream& stream = *file.streams[i];
        if (stream.codecpar->codec_type == type && !is_attached_picture(stream) && place-- == 0) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int find_numbered(const AVFormatContext& file, AVMediaType type, int number) {
    for (unsigned i = 0; i < file.nb_streams; ++i) {
        if (file.streams[i]->codecpar->codec_type == type && file.streams[i]->id == number) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

std::string describe(const AVStream& stream) {
    const char* const type = av_get_media_type_string(stream.codecpar->codec_type);
    const AVDictionaryEntry* const language = av_dict_get(stream.metadata, "language", nullptr, 0);
    return fmt::format("stream {} ({}, {}{}{})", stream.index, type != nullptr ? type : "unknown",
                       avcodec_get_name(stream.codecpar->codec_id), language != nullptr ? ", " : "",
                       language != nullptr ? language->value : "");
}

unsigned kind_of(const AVStream& stream) {
    if (is_attached_picture(stream)) {
        return kind::attachments;
    }
    switch (stream.codecpar->codec_type) {
        case AVMEDIA_TYPE_VIDEO:
            return kind::video;
        case AVMEDIA_TYPE_AUDIO:
            return kind::audio;
        case AVMEDIA_TYPE_SUBTITLE:
            return kind::subtitles;
        case AVMEDIA_TYPE_ATTACHMENT:
            return kind::attachments;
        default:
            return kind::data;
    }
}

}  // namespace vfilter
