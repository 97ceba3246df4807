#include "io/copied_stream.h"

namespace vfilter {

AVStream& add_copied_stream(const AVStream& from, AVFormatContext& to) {
    AVStream& copy = add_stream(to);
    av_check(avcodec_parameters_copy(copy.codecpar, from.codecpar), "avcodec_parameters_copy");
    av_check(av_dict_copy(&copy.metadata, from.metadata, 0), "av_dict_copy");
    copy.id = from.id;
    copy.time_base = from.time_base;
    copy.disposition = from.disposition;
    copy.avg_frame_rate = from.avg_frame_rate;
    copy.r_frame_rate = from.r_frame_rate;
    copy.sample_aspect_ratio = from.sample_aspect_ratio;
    return copy;
}

}  // namespace vfilter
