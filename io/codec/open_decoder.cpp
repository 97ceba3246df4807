#include "io/codec/open_decoder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cerrno>
#include <vector>

#include "config/error.h"
#include "config/printable.h"
#include "io/bitstream/decoder_packets.h"
#include "io/codec/thread_limit.h"
#include "io/extradata.h"

namespace vfilter {

void limit_decoder(AVCodecContext& context, std::int64_t max_pixels) {
    context.max_pixels = max_pixels + max_pixels / 8 + 65536;  // it counts whole blocks
    context.err_recognition |= AV_EF_CRCCHECK;
}

void leave_out_messages(AVCodecContext& context) {
    if (context.extradata_size > 0) {
        const std::vector<std::uint8_t> rest =
            without_messages(context.codec_id, {context.extradata, static_cast<std::size_t>(context.extradata_size)});
        if (!rest.empty()) {
            set_extradata(context, rest);
        }
    }
}

void open_codec(AVCodecContext& context, const AVCodec& codec) {
    int opened = avcodec_open2(&context, &codec, nullptr);
    if (opened == AVERROR(EAGAIN) || (opened < 0 && refuses_threads())) {
        spdlog::warn("the system allows no more threads, so {} works with a single one", codec.name);
        context.thread_count = 1;
        opened = avcodec_open2(&context, &codec, nullptr);
    }
    if (opened == AVERROR(EAGAIN)) {
        throw Error(ExitCode::internal,
                    fmt::format("no thread for the decoder {}: {}", codec.name, av_message(opened)));
    }
    if (opened < 0 && codec.id == AV_CODEC_ID_RAWVIDEO && context.pix_fmt == AV_PIX_FMT_NONE) {
        std::array<char, AV_FOURCC_MAX_STRING_SIZE> letters{};
        throw Error(ExitCode::input,
                    fmt::format("raw pictures whose pixels have the name '{}' here, which FFmpeg does not know",
                                printable_message(av_fourcc_make_string(letters.data(), context.codec_tag))));
    }
    if (opened < 0) {
        throw Error(ExitCode::input,
                    fmt::format("the decoder {} refuses this stream: {}", codec.name, av_message(opened)));
    }
}

}  // namespace vfilter
