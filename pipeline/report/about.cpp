#include "pipeline/report/about.h"

#include <fmt/format.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <opencv2/core/utility.hpp>
#include <stdexcept>
#include <string_view>

#include "config/help.h"
#include "config/option_table.h"
#include "config/presets.h"
#include "io/codec/encoder.h"
#include "io/codec/encoder_choice.h"
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

struct List {
    std::string_view name;  // to --list
    std::string (*text)();
};
constexpr List lists[] = {{"filters", filter_list},
                          {"presets", preset_list},
                          {"devices", device_list},
                          {"encoders", encoder_list},
                          {"formats", container_list},
                          {"pixel-formats", pixel_format_list},
                          {"cameras", [] { return camera_list() + sound_device_list(); }}};

constexpr bool are_all(std::string_view names) {
    for (const List& list : lists) {
        const std::size_t end = std::min(names.find('|'), names.size());
        if (names.substr(0, end) != list.name) {
            return false;
        }
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return names.empty();
}
static_assert(are_all(list_names));

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
    const List* const found = std::ranges::find(lists, what, &List::name);
    if (found == std::end(lists)) {
        throw std::logic_error("list_text: " + what);
    }
    return found->text();
}

}  // namespace vfilter
