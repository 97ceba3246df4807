// An encoder as it is opened: what is tried where it refuses, and what is said of that.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <new>
#include <string>

#include "io/bitstream/encoder_notes.h"
#include "io/codec/encoder.h"
#include "io/codec/encoder_formats.h"
#include "io/codec/encoder_refusal.h"
#include "io/codec/encoder_settings.h"
#include "io/codec/still_settings.h"
#include "io/codec/thread_limit.h"
#include "io/graph/graph_text.h"
#include "io/log/complaints.h"
#include "io/stills.h"

namespace vfilter {

void Encoder::open(const OutputOptions& options, const EncodeTask& task, const PictureStream& stream,
                   const AVFrame& first) {
    if (!task.trial) {
        tell_hdr_in_few_bits(*context_, stream.graphed.before != AV_PIX_FMT_NONE
                                            ? stream.graphed.before
                                            : static_cast<AVPixelFormat>(first.format));
        tell_guessed_matrix(*context_, first, stream.graphed.guessed_rgb);
    }
    set_encoder_options(options, task, stream, first, *context_, settings_);
    set_still_options(options, first, *context_, settings_);
    if (task.pass != 0 && !task.trial) {
        set_up_pass(task, stream.stream->index, settings_);
    }
    if (const std::string lost = lost_by_size(*context_); !lost.empty()) {
        throw encoder_refusal(options, name(), *context_, lost);
    }
    const EncoderParts parts = stream.live || stills_of(options) ? EncoderParts{} : parts_for(options, task, *context_);
    if (parts.encoders > 1) {
        set_up_.reset(avcodec_alloc_context3(context_->codec));
        if (!set_up_) {
            throw std::bad_alloc();
        }
    }
    const ThreadComplaints complaints;
    Dictionary unknown;
    if (const int opened = open_somehow(task, complaints, unknown); opened < 0) {
        check_pass_folder();
        throw encoder_refusal(options, name(), *context_, told_by(complaints, av_message(opened)));
    }
    if (const std::string lost = lost_in_slices(*context_); !lost.empty()) {
        throw encoder_refusal(options, name(), *context_, lost);
    }
    if (removes_notes_) {
        remove_notes(*context_);
    }
    refuse_unknown(options, complaints, unknown);
    if (set_up_) {
        begin_parts(parts);
    }
}

// As it was asked for, or else in one thread, or without fields. Returns an error of FFmpeg's where it refuses.
// `unknown` are the settings that it did not take.
int Encoder::open_somehow(const EncodeTask& task, const ThreadComplaints& complaints, Dictionary& unknown) {
    const auto try_to_open = [&, codec = context_->codec] {  // which a failure takes out of the context
        av_dict_free(unknown.get());
        av_dict_copy(unknown.get(), *settings_.get(), 0);
        if (set_up_) {
            set_up_like(*context_, *set_up_);
        }
        return avcodec_open2(context_.get(), codec, unknown.get());
    };
    int opened = try_to_open();
    if (opened < 0 && refuses_threads()) {
        spdlog::warn("the system allows no more threads, so {} works with a single one", name());
        context_->thread_count = 1;
        opened = try_to_open();
    }
    if (opened < 0 && (context_->flags & field_coding) != 0 &&
        told_by(complaints, "").find("nterlac") != std::string::npos) {
        // JPEG, MPEG-1 and other codecs know whole pictures alone.
        context_->flags &= ~field_coding;
        opened = try_to_open();
        if (opened >= 0 && !task.trial) {
            spdlog::info("the pictures are interlaced: the encoder {} takes both fields of one as a whole", name());
        }
    }
    return opened;
}

void Encoder::refuse_unknown(const OutputOptions& options, const ThreadComplaints& complaints,
                             const Dictionary& unknown) const {
    if (const std::string option = unknown.leftovers(); !option.empty()) {
        const std::string meant = option_meant(option);
        throw Error(
            ExitCode::usage,
            fmt::format("the encoder {0} has no option '{1}'{2} (ffmpeg -h encoder={0} lists them)", name(), option,
                        meant.empty() ? "" : fmt::format("; it is --encoder-option {}=... here", meant)));
    }
    for (const std::string& refused : complaints.refused()) {
        if (is_in_list_of_user(options, refused)) {  // an old library may not know what vfilter gives by itself
            throw Error(ExitCode::usage, fmt::format("the encoder {}: {}", name(), refused));
        }
    }
}

}  // namespace vfilter
