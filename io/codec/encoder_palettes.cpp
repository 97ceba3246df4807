#include "io/codec/encoder_palettes.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include <algorithm>

#include "io/codec/encoder_choice.h"
#include "io/codec/encoder_formats.h"
#include "io/codec/encoder_pass.h"
#include "io/formats/formats.h"
#include "io/formats/samples.h"
#include "io/graph/filter_library.h"

namespace vfilter {

namespace {

// GIF counts hundredths of a second, and what lasts a single one is shown for ten.
constexpr int most_gif_rate = 50;

}  // namespace

std::unique_ptr<Palettes> palettes_for(const OutputOptions& options, const EncodeTask& task,
                                       const AVOutputFormat& container, const PictureStream& stream,
                                       const AVFrame& first, AVPixelFormat kept, AVCodecContext& encoder) {
    const std::vector<AVPixelFormat> taken = taken_formats(*encoder.codec, container, options, task);
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(kept);
    const bool gray = colours_of(d) == Colours::gray && (d.flags & AV_PIX_FMT_FLAG_ALPHA) == 0;
    if (!makes_palettes(*encoder.codec, options) || gray || std::ranges::find(taken, kept) != taken.end()) {
        return nullptr;
    }
    try {
        filter_library();
    } catch (const Error& missing) {
        spdlog::warn("the colours are 256 fixed ones, as none can be chosen: {}", missing.what());
        return nullptr;
    }
    const GraphPictures pictures{.format = static_cast<AVPixelFormat>(first.format),
                                 .width = first.width,
                                 .height = first.height,
                                 .time_base = stream.stream->time_base,
                                 .frame_rate = stream.frame_rate,
                                 .sample_aspect = encoder.sample_aspect_ratio,
                                 .matrix = first.colorspace,
                                 .range = encoder.color_range};
    const int pass = task.trial ? 0 : task.pass;
    auto palettes = std::make_unique<Palettes>(pictures,
                                               pass == 0   ? Palettes::Scope::second
                                               : pass == 1 ? Palettes::Scope::made_for_clip
                                                           : Palettes::Scope::clip,
                                               pass_file(task, stream.stream->index));
    encoder.pix_fmt = AV_PIX_FMT_PAL8;
    encoder.colorspace = AVCOL_SPC_RGB;
    encoder.color_range = AVCOL_RANGE_JPEG;
    if (!task.trial && pass != 2) {
        const AVPixelFormat from = stream.graphed.before != AV_PIX_FMT_NONE ? stream.graphed.before : kept;
        const bool graded = (av_pix_fmt_desc_get(from)->flags & AV_PIX_FMT_FLAG_ALPHA) != 0 &&
                            stream.stream->codecpar->codec_id != AV_CODEC_ID_GIF;
        spdlog::info("pictures are converted from {} to 256 colours, which are chosen for {}{}", name_of(from),
                     pass == 1 ? "all of them" : "each second",
                     graded ? "; what is partly transparent becomes opaque or invisible" : "");
        if (av_cmp_q(stream.frame_rate, {most_gif_rate, 1}) > 0) {
            spdlog::warn("most viewers slow down a GIF of more than {} pictures a second: --vf fps=25 makes fewer",
                         most_gif_rate);
        }
    }
    return palettes;
}

}  // namespace vfilter
