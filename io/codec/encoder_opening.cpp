#include "io/codec/encoder_opening.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <string>

#include "config/error.h"
#include "io/bitstream/encoder_notes.h"
#include "io/codec/encoder_formats.h"
#include "io/codec/encoder_refusal.h"
#include "io/codec/encoder_settings.h"
#include "io/codec/encoder_setup.h"
#include "io/codec/still_settings.h"
#include "io/codec/thread_limit.h"
#include "io/graph/graph_text.h"
#include "io/log/complaints.h"
#include "io/stills.h"

namespace vfilter {

namespace {

CodecContextPtr new_context(const AVCodec* codec) {
    CodecContextPtr context(avcodec_alloc_context3(codec));
    if (!context) {
        throw std::bad_alloc();
    }
    return context;
}

std::span<const std::uint8_t> headers(const AVCodecContext& encoder) {
    return {encoder.extradata, static_cast<std::size_t>(encoder.extradata_size)};
}

// As it was asked for, or else in one thread, or without fields. Returns an error of FFmpeg's where it refuses.
// `unknown` are the settings that it did not take.
int open_somehow(bool trial, const EncoderRecipe& recipe, const ThreadComplaints& complaints, AVCodecContext& encoder,
                 Dictionary& unknown) {
    const AVCodec* const codec = encoder.codec;  // which a failure takes out of the context
    const auto try_to_open = [&] {
        av_dict_free(unknown.get());
        av_dict_copy(unknown.get(), recipe.settings.entries(), 0);
        if (recipe.set_up) {
            set_up_like(encoder, *recipe.set_up);
        }
        const int width = encoder.width;
        const int height = encoder.height;
        const int opened = avcodec_open2(&encoder, codec, unknown.get());
        if (opened < 0) {  // it forgets the size that it refuses, which is to be told
            encoder.width = width;
            encoder.height = height;
        }
        return opened;
    };
    int opened = try_to_open();
    if (opened < 0 && refuses_threads()) {
        spdlog::warn("the system allows no more threads, so {} works with a single one", codec->name);
        encoder.thread_count = 1;
        opened = try_to_open();
    }
    if (opened < 0 && (encoder.flags & field_coding) != 0 &&
        told_by(complaints, "").find("nterlac") != std::string::npos) {
        // JPEG, MPEG-1 and other codecs know whole pictures alone.
        encoder.flags &= ~field_coding;
        opened = try_to_open();
        if (opened >= 0 && !trial) {
            spdlog::info("the pictures are interlaced: the encoder {} takes both fields of one as a whole",
                         codec->name);
        }
    }
    return opened;
}

void refuse_unknown(const OutputOptions& options, const std::string& name, const ThreadComplaints& complaints,
                    const Dictionary& unknown) {
    if (const std::string option = unknown.leftovers(); !option.empty()) {
        const std::string meant = option_meant(option);
        throw Error(
            ExitCode::usage,
            fmt::format("the encoder {0} has no option '{1}'{2} (ffmpeg -h encoder={0} lists them)", name, option,
                        meant.empty() ? "" : fmt::format("; it is --encoder-option {}=... here", meant)));
    }
    for (const std::string& refused : complaints.refused()) {
        if (is_in_list_of_user(options, refused)) {  // an old library may not know what vfilter gives by itself
            throw Error(ExitCode::usage, fmt::format("the encoder {}: {}", name, refused));
        }
    }
}

}  // namespace

EncoderRecipe open_encoder(const OutputOptions& options, const EncodeTask& task, const PictureStream& stream,
                           const AVFrame& first, AVCodecContext& encoder, EncoderPass& pass) {
    const AVCodec& codec = *encoder.codec;
    if (!task.trial) {
        tell_hdr_in_few_bits(encoder, stream.graphed.before != AV_PIX_FMT_NONE
                                          ? stream.graphed.before
                                          : static_cast<AVPixelFormat>(first.format));
        tell_guessed_matrix(encoder, first, stream.graphed.guessed_rgb);
    }
    EncoderRecipe recipe{.removes_notes = options.strip >= Strip::tags};
    set_encoder_options(options, task, stream, first, encoder, recipe.settings);
    set_still_options(options, first, encoder, recipe.settings);
    if (task.pass != 0 && !task.trial) {
        pass.set_up(task, stream.stream->index, encoder, recipe.settings);
    }
    if (const std::string lost = lost_by_size(encoder); !lost.empty()) {
        throw encoder_refusal(options, codec.name, encoder, lost);
    }
    recipe.parts = stream.live || stills_of(options) ? EncoderParts{} : parts_for(options, task, encoder);
    if (recipe.parts.encoders > 1) {
        encoder.thread_count = threads_of_part(options, encoder);
        recipe.set_up = new_context(&codec);
    }
    const ThreadComplaints complaints;
    Dictionary unknown;
    if (const int opened = open_somehow(task.trial, recipe, complaints, encoder, unknown); opened < 0) {
        pass.check_folder();
        throw encoder_refusal(options, codec.name, encoder, told_by(complaints, av_message(opened)));
    }
    if (const std::string lost = lost_in_slices(encoder); !lost.empty()) {
        throw encoder_refusal(options, codec.name, encoder, lost);
    }
    if (recipe.removes_notes) {
        remove_notes(encoder);
    }
    refuse_unknown(options, codec.name, complaints, unknown);
    return recipe;
}

CodecContextPtr open_like(const EncoderRecipe& recipe, const AVCodecContext& first) {
    const AVCodec& codec = *recipe.set_up->codec;
    CodecContextPtr next = new_context(&codec);
    set_up_like(*recipe.set_up, *next);
    Dictionary settings;
    av_dict_copy(settings.get(), recipe.settings.entries(), 0);
    const int opened = avcodec_open2(next.get(), &codec, settings.get());
    if (opened < 0) {
        throw Error(ExitCode::encoder,
                    fmt::format("another encoder {} cannot be opened: {}", codec.name, av_message(opened)));
    }
    if (recipe.removes_notes) {
        remove_notes(*next);
    }
    if (!std::ranges::equal(headers(*next), headers(first))) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder {} gives each part headers of its own, of which the file has one: leave "
                                "out --encoders",
                                codec.name));
    }
    return next;
}

}  // namespace vfilter
