#include "io/codec/picture_stream.h"

#include <algorithm>
#include <new>

#include "io/compat.h"

namespace vfilter {

namespace {

bool stays_true(AVPacketSideDataType type, const MadeStream& as) {
    const bool hdr = type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA || type == AV_PKT_DATA_CONTENT_LIGHT_LEVEL;
    return !(as.turned && type == AV_PKT_DATA_DISPLAYMATRIX) && !(as.tone_mapped && hdr);
}

}  // namespace

DescriptionPtr describe_made_stream(const AVStream& from, const MadeStream& as) {
    DescriptionPtr description = make_description();
    AVStream& to = add_stream(*description);
    to.id = from.id;
    to.time_base = as.made.time_base;
    to.disposition = from.disposition;
    to.avg_frame_rate = as.made.frame_rate;
    to.r_frame_rate = as.even ? as.made.frame_rate : AVRational{0, 1};
    to.sample_aspect_ratio = as.made.sample_aspect;
    to.codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    to.codecpar->codec_id = from.codecpar->codec_id;
    to.codecpar->format = as.made.format;
    to.codecpar->field_order = as.progressive ? AV_FIELD_PROGRESSIVE : AV_FIELD_UNKNOWN;
    to.codecpar->width = as.made.width;
    to.codecpar->height = as.made.height;
    if (av_dict_copy(&to.metadata, from.metadata, 0) < 0) {
        throw std::bad_alloc();
    }
    for_each_side_data(from, [&](const AVPacketSideData& data) {
        if (stays_true(data.type, as)) {
            std::uint8_t* const room = new_side_data(to, data.type, data.size);
            if (room == nullptr) {
                throw std::bad_alloc();
            }
            std::copy_n(data.data, data.size, room);
        }
    });
    return description;
}

}  // namespace vfilter
