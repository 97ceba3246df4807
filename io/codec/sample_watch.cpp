#include "io/codec/sample_watch.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <string_view>
#include <utility>

#include "io/codec/decoding_run.h"
#include "io/codec/encoder.h"
#include "io/codec/encoder_choice.h"
#include "io/codec/encoder_settings.h"
#include "io/compat.h"

namespace vfilter {

namespace {

// Sides of which a picture has enough samples for all that may happen to them.
constexpr int tried_side = 64;

FramePtr native_picture(const Converter& converter) {
    FramePtr picture = make_frame();
    picture->format = converter.format();
    picture->width = converter.width();
    picture->height = converter.height();
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    return picture;
}

template <class Sample>
int largest_difference(const std::uint8_t* a, const std::uint8_t* b, int bytes) {
    int most = 0;
    for (int i = 0; i < bytes; i += static_cast<int>(sizeof(Sample))) {
        Sample x{};
        Sample y{};
        std::memcpy(&x, a + i, sizeof(Sample));
        std::memcpy(&y, b + i, sizeof(Sample));
        most = std::max(most, std::abs(int{x} - int{y}));
    }
    return most;
}

// Of two pictures of one format and size.
int difference_of(const AVFrame& a, const AVFrame& b) {
    const auto format = static_cast<AVPixelFormat>(a.format);
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
    int most = 0;
    for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
        const bool chroma = plane == 1 || plane == 2;
        const int rows = chroma ? AV_CEIL_RSHIFT(a.height, d.log2_chroma_h) : a.height;
        const int bytes = av_image_get_linesize(format, a.width, plane);
        for (int y = 0; y < rows; ++y) {
            const std::uint8_t* const one = a.data[plane] + std::ptrdiff_t{a.linesize[plane]} * y;
            const std::uint8_t* const other = b.data[plane] + std::ptrdiff_t{b.linesize[plane]} * y;
            if (std::memcmp(one, other, static_cast<std::size_t>(bytes)) != 0) {
                most = std::max(most, d.comp[0].depth > 8 ? largest_difference<std::uint16_t>(one, other, bytes)
                                                          : largest_difference<std::uint8_t>(one, other, bytes));
            }
        }
    }
    return most >> d.comp[0].shift;
}

FramePtr noise_like(const AVFrame& first, int width, int height, FramePool& pool) {
    FramePtr picture = make_frame();
    picture->format = first.format;
    picture->width = width;
    picture->height = height;
    pool.fill(*picture, picture->width, picture->height);
    const AVComponentDescriptor& sample = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(first.format))->comp[0];
    std::minstd_rand random;
    for (int i = 0; i < AV_NUM_DATA_POINTERS && picture->buf[i] != nullptr; ++i) {
        std::uint8_t* const data = picture->buf[i]->data;
        const std::size_t step = sample.depth > 8 ? 2 : 1;
        for (std::size_t k = 0; k + step <= picture->buf[i]->size; k += step) {
            const auto value = static_cast<unsigned>(random() >> 8U & ((1U << sample.depth) - 1U)) << sample.shift;
            const auto word = static_cast<std::uint16_t>(value);
            const auto byte = static_cast<std::uint8_t>(value);
            std::memcpy(data + k, step == 2 ? static_cast<const void*>(&word) : &byte, step);
        }
    }
    av_check(av_frame_copy_props(picture.get(), &first), "av_frame_copy_props");
    picture->pts = 0;
    return picture;
}

}  // namespace

bool is_called_lossless(const OutputOptions& options, const AVOutputFormat& container) {
    const AVCodec& codec = choose_codec(options, container);
    const AVCodecDescriptor* const facts = avcodec_descriptor_get(codec.id);
    const int props = facts == nullptr ? 0 : facts->props & (AV_CODEC_PROP_LOSSLESS | AV_CODEC_PROP_LOSSY);
    // Whose decoder reads colours of a palette otherwise than what made them.
    const bool compared = codec.id != AV_CODEC_ID_GIF;
    return takes_work(codec) && compared && (props == AV_CODEC_PROP_LOSSLESS || asks_for_lossless(options));
}

SampleWatch::SampleWatch(const AVCodecContext& encoder, bool reports) : encoder_(encoder), reports_(reports) {
    const AVPixelFormat format = encoder.pix_fmt;
    const AVCodec* const codec = avcodec_find_decoder(encoder.codec_id);
    if (codec == nullptr || nearest_native(format) == AV_PIX_FMT_NONE) {
        return;
    }
    given_ = Converter::to_native(encoder.width, encoder.height, format);
    made_ = Converter::to_native(encoder.width, encoder.height, format);
    decoder_.reset(avcodec_alloc_context3(codec));
    const ParametersPtr facts(avcodec_parameters_alloc());
    if (!decoder_ || !facts) {
        throw std::bad_alloc();
    }
    const bool told = avcodec_parameters_from_context(facts.get(), &encoder) >= 0 &&
                      avcodec_parameters_to_context(decoder_.get(), facts.get()) >= 0;
    decoder_->thread_count = 1;
    if (!told || avcodec_open2(decoder_.get(), codec, nullptr) < 0) {
        decoder_.reset();
    }
}

void SampleWatch::sent(const AVFrame& picture) {
    constexpr std::size_t most_inside = 256;  // no encoder that gives a packet for each looks so far ahead
    if (pictures_.size() == most_inside) {
        give_up();
    }
    if (decoder_) {
        FramePtr kept(av_frame_clone(&picture));
        if (!kept) {
            throw std::bad_alloc();
        }
        pictures_.push_back(std::move(kept));
    }
}

void SampleWatch::came(const AVPacket* packet) {
    if (!decoder_) {
        return;
    }
    const FramePtr made = make_frame();
    int got = avcodec_send_packet(decoder_.get(), packet);
    while (got >= 0 && decoder_ && !change_ && (got = avcodec_receive_frame(decoder_.get(), made.get())) >= 0) {
        got = pictures_.empty() ? AVERROR_BUG : 0;
        if (got >= 0) {
            const FramePtr given = std::move(pictures_.front());
            pictures_.pop_front();
            compare(*given, *made);
        }
    }
    const bool refused = got < 0 && got != AVERROR(EAGAIN) && got != AVERROR_EOF;
    if (refused && got != AVERROR(ENOMEM) && !pictures_.empty()) {
        find("", pictures_.front()->pts);
    }
    if (refused || change_ || packet == nullptr) {
        give_up();
    }
    if (change_ && reports_) {
        report(*change_);
    }
}

void SampleWatch::give_up() {
    decoder_.reset();
    pictures_.clear();
    given_.reset();
    made_.reset();
    wanted_.reset();
    found_.reset();
}

void SampleWatch::compare(const AVFrame& given, AVFrame& made) {
    if (made.width != given.width || made.height != given.height) {
        find("", given.pts);
        return;
    }
    made.format = without_j(static_cast<AVPixelFormat>(made.format));
    const auto flags = [](const AVFrame& picture) {
        return av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format))->flags;
    };
    const std::uint64_t lost = flags(given) & ~flags(made) & AV_PIX_FMT_FLAG_ALPHA;
    const std::uint64_t gained = flags(made) & ~flags(given) & AV_PIX_FMT_FLAG_PAL;
    if (lost != 0 || gained != 0) {
        give_up();  // FFmpeg's VP9 decodes no alpha, and qtrle of gray has a palette that its container tells
        return;
    }
    made.color_range = given.color_range;
    made.colorspace = given.colorspace;
    set_interlaced(made, is_interlaced(given));
    if (!wanted_) {
        wanted_ = native_picture(*given_);
        found_ = native_picture(*made_);
    }
    given_->convert(given, *wanted_);
    made_->convert(made, *found_);
    if (const int most = difference_of(*wanted_, *found_); most > 0) {
        const int depth = av_pix_fmt_desc_get(given_->format())->comp[0].depth;
        find(fmt::format("{} of {}", most, (1 << depth) - 1), given.pts);
    }
}

void SampleWatch::find(std::string most, std::int64_t pts) {
    change_ = Change{std::move(most), pts};
}

void SampleWatch::report(const Change& change) const {
    const double seconds = static_cast<double>(change.pts) * av_q2d(encoder_.time_base);
    if (change.most.empty()) {
        throw Error(
            ExitCode::encoder,
            fmt::format("the encoder {} turned the picture at {:.3f} s into something that cannot be decoded; choose "
                        "another --codec or --pix-fmt",
                        encoder_.codec->name, seconds));
    }
    spdlog::warn(
        "the encoder {} changes samples although its codec is called lossless: those of the picture "
        "at {:.3f} s differ by up to {} after decoding; choose another --codec or --pix-fmt, such as "
        "ffv1",
        encoder_.codec->name, seconds, change.most);
}

bool may_change_samples(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                        const PictureStream& stream, const AVFrame& first, AVPixelFormat kept) {
    if (!is_called_lossless(options, container)) {
        return false;
    }
    EncodeTask quiet = task;
    quiet.trial = true;
    const auto change_of = [&](int width, int height) {
        FramePool pool(allocate_picture);
        FramePtr noise = noise_like(first, width, height, pool);
        Encoder encoder(options, quiet, container, stream, *noise, kept, pool);
        encoder.watch_samples();
        for (const bool end : {false, true}) {
            encoder.send(end ? nullptr : std::move(noise));
            while (encoder.receive()) {
            }
        }
        return encoder.changed_samples();
    };
    const auto odd = [](int side) { return tried_side + side % tried_side; };
    try {
        const std::optional<SampleWatch::Change> change = change_of(odd(first.width), odd(first.height));
        if (change && change->most.empty()) {
            // Is it the size, or does a packet not tell enough (APNG)?
            const std::optional<SampleWatch::Change> even = change_of(tried_side, tried_side);
            return !even || !even->most.empty();
        }
        return change || first.width < tried_side || first.height < tried_side;
    } catch (const Error& refused) {
        spdlog::debug("whether samples are kept was not tried: {}", refused.what());
        return false;  // options that do not fit so small a picture
    }
}

}  // namespace vfilter
