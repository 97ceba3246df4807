#include "pipeline/report/about.h"

#include <fmt/format.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <opencv2/core/utility.hpp>
#include <stdexcept>

#include "config/help.h"
#include "config/presets.h"
#include "io/codec/encoder.h"
#include "io/input/camera.h"
#include "io/input/sound_device.h"
#include "io/output/container_choice.h"
#include "kernels/cpu/simd.h"
#include "pipeline/engine/filter_engine.h"

namespace vfilter {

namespace {

std::string version_number(unsigned number) {
    return fmt::format("{}.{}.{}", AV_VERSION_MAJOR(number), AV_VERSION_MINOR(number), AV_VERSION_MICRO(number));
}

std::string pixel_format_list() {
    std::string text;
    for (const AVPixFmtDescriptor* format = av_pix_fmt_desc_next(nullptr); format != nullptr;
         format = av_pix_fmt_desc_next(format)) {
        if ((format->flags & AV_PIX_FMT_FLAG_HWACCEL) == 0) {
            text += fmt::format("{}\n", format->name);
        }
    }
    return text;
}

std::string present(const AVCodec* codec) {
    return codec != nullptr ? codec->name : "missing";
}

}  // namespace

std::string version_text() {
    return fmt::format("vfilter {}\nlibavformat {}, libavcodec {}, libavutil {}, OpenCV {}\n", VFILTER_VERSION,
                       version_number(avformat_version()), version_number(avcodec_version()),
                       version_number(avutil_version()), CV_VERSION);
}

std::string doctor_text() {
    return version_text() +
           fmt::format(
               "processors: {}\nSIMD in use: {}\n{}H.264: decoder {}, encoder {}\nVP9: decoder {}, encoder {}\n",
               cv::getNumberOfCPUs(), simd_target(), device_list(), present(avcodec_find_decoder(AV_CODEC_ID_H264)),
               present(avcodec_find_encoder(AV_CODEC_ID_H264)), present(avcodec_find_decoder(AV_CODEC_ID_VP9)),
               present(avcodec_find_encoder(AV_CODEC_ID_VP9)));
}

std::string list_text(const std::string& what) {
    if (what == "filters") {
        return filter_list();
    }
    if (what == "presets") {
        return preset_list();
    }
    if (what == "formats") {
        return container_list();
    }
    if (what == "pixel-formats") {
        return pixel_format_list();
    }
    if (what == "devices") {
        return device_list();
    }
    if (what == "encoders") {
        return encoder_list();
    }
    if (what == "cameras") {
        return camera_list() + sound_device_list();
    }
    throw std::logic_error("list_text: " + what);
}

}  // namespace vfilter
