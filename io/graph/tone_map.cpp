#include "io/graph/tone_map.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "config/error.h"
#include "io/formats/format_facts.h"

namespace vfilter {

namespace {

constexpr int tone_map_threads = 2;  // a window may not take the cores of what is written

bool is_bright(AVColorTransferCharacteristic curve) {
    return curve == AVCOL_TRC_SMPTE2084 || curve == AVCOL_TRC_ARIB_STD_B67;
}

bool is_wide(AVColorPrimaries primaries) {
    return primaries == AVCOL_PRI_BT2020 || primaries == AVCOL_PRI_SMPTE431 || primaries == AVCOL_PRI_SMPTE432;
}

// Empty if all is there.
std::string missing_filter() {
    try {
        for (const char* const name : {"zscale", "tonemap"}) {
            if (filter_library().get_by_name(name) == nullptr) {
                return fmt::format("libavfilter has no {} here", name);
            }
        }
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

bool is_beyond_sdr(const AVFrame& picture) {
    return is_bright(picture.color_trc) || is_wide(picture.color_primaries);
}

// The numbers are libavutil's, which zscale takes; of what is named for the input alone it knows nothing further on.
// 100 is the nominal peak in cd/m2 that tonemap counts light in.
void ToneMapper::prepare(const Kind& kind, const AVFrame& picture) {
    const bool bright = is_bright(static_cast<AVColorTransferCharacteristic>(kind.curve));
    const std::string text = fmt::format(
        "zscale=w={}:h={}:f=bilinear:tin={}:pin={}:min={}:rin={}:t=linear:p={}:npl=100,format=gbrpf32le,zscale=p=709{},"
        "zscale=t=709:m=gbr:r=full",
        kind.to_width, kind.to_height, kind.curve, kind.primaries, kind.matrix, kind.full_range ? "full" : "limited",
        kind.primaries, bright ? ",tonemap=tonemap=hable:desat=0" : "");
    graph_ =
        std::make_unique<FilterGraph>(text, GraphPlace{.pictures = {.format = static_cast<AVPixelFormat>(kind.format),
                                                                    .width = kind.width,
                                                                    .height = kind.height,
                                                                    .time_base = {1, 25},
                                                                    .frame_rate = {25, 1},
                                                                    .sample_aspect = {1, 1},
                                                                    .matrix = picture.colorspace,
                                                                    .range = picture.color_range},
                                                       .taken = {AV_PIX_FMT_GBRP},
                                                       .threads = tone_map_threads});
    kind_ = kind;
    if (!std::exchange(told_, true)) {
        spdlog::info("{} is {} for the window alone, by libavfilter",
                     bright ? "light brighter than white" : "a wide gamut", bright ? "tone-mapped" : "made BT.709");
    }
}

void ToneMapper::give_up(const std::string& why) {
    given_up_ = true;
    graph_.reset();
    spdlog::warn("HDR is shown without tone mapping: {}", why);
}

const AVFrame* ToneMapper::map(const AVFrame& picture, int width, int height) {
    if (given_up_) {
        return nullptr;
    }
    const bool rgb = colours_of(*av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format))) == Colours::rgb;
    const auto told_or = [](int told, int otherwise) { return told == AVCOL_PRI_UNSPECIFIED ? otherwise : told; };
    static_assert(AVCOL_PRI_UNSPECIFIED == 2 && AVCOL_TRC_UNSPECIFIED == 2 && AVCOL_SPC_UNSPECIFIED == 2);
    const bool bright = is_bright(picture.color_trc);
    const Kind kind{picture.width,
                    picture.height,
                    picture.format,
                    width,
                    height,
                    told_or(picture.color_trc, AVCOL_TRC_BT709),
                    told_or(picture.color_primaries, bright ? AVCOL_PRI_BT2020 : AVCOL_PRI_BT709),
                    rgb ? static_cast<int>(AVCOL_SPC_RGB)
                        : told_or(picture.colorspace, bright ? AVCOL_SPC_BT2020_NCL : AVCOL_SPC_BT709),
                    rgb || picture.color_range == AVCOL_RANGE_JPEG};
    try {
        if (!(kind == kind_)) {
            if (const std::string why = missing_filter(); !why.empty()) {
                give_up(why);
                return nullptr;
            }
            prepare(kind, picture);
        }
        FramePtr given(av_frame_clone(&picture));
        given->pts = next_++;
        graph_->send(std::move(given));
        made_ = graph_->receive();
        return made_.get();
    } catch (const Error& error) {
        give_up(error.what());
        return nullptr;
    }
}

}  // namespace vfilter
