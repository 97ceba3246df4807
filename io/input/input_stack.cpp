#include "io/input/input_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "io/changed_parameters.h"
#include "io/demuxers.h"
#include "io/input/added_input.h"
#include "io/input/appended_file.h"
#include "io/input/evidence/promises.h"
#include "io/input/file_layers.h"
#include "io/input/frame_rates.h"
#include "io/input/layers/from_key_frame.h"
#include "io/input/layers/known_streams.h"
#include "io/input/layers/same_streams.h"
#include "io/input/layers/silent_streams.h"
#include "io/input/picture_sequence.h"
#include "io/input/sound_device.h"
#include "io/input/video_choice.h"
#include "io/source.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

using Moment = std::chrono::steady_clock::time_point;

// Whether pictures come as they happen: what tells its length is a film, whoever sends it.
bool is_sent_live(const InputStack& stack, const AVFormatContext& format, const InputOptions& options) {
    return stack.waits && source_of(options.path).kind != Source::Kind::graph &&
           (format.duration == AV_NOPTS_VALUE || format.duration <= 0);
}

// That the filtered videos go on in an input that was opened again. Throws CameBackOtherwise if they do not, and Error
// if the first of them may still come.
void check_videos_go_on(const StreamPlaces& places, const AVFormatContext& now, const InputStack& stack,
                        const InputOptions& options) {
    const int first = find_stream(now, AVMEDIA_TYPE_VIDEO, 0);
    if (first < 0 && !places.has(stack.videos.front())) {
        throw Error(ExitCode::input, fmt::format("{}: came back without its video", shown_name(options.path)));
    }
    for (const int video : stack.videos) {
        const AVCodecParameters& before = *places.before().streams[video]->codecpar;
        const int own = places.now_of(video);
        if (own < 0 && video == stack.videos.front()) {
            throw CameBackOtherwise(fmt::format("its video is {}, and was {}",
                                                avcodec_get_name(now.streams[first]->codecpar->codec_id),
                                                avcodec_get_name(before.codec_id)));
        }
        if (own >= 0 && !decoder_follows(before, *now.streams[own]->codecpar)) {
            throw CameBackOtherwise(fmt::format("its video has {}, of which {} says nothing itself",
                                                what_has_changed(before, *now.streams[own]->codecpar),
                                                avcodec_get_name(before.codec_id)));
        }
    }
}

// What begins anew with each opening, which was begun when it was `asked` for. Throws CameBackOtherwise.
std::unique_ptr<PacketSource> lay_opening(std::unique_ptr<PacketSource> source, InputStack& stack,
                                          const InputRequest& options, Moment asked) {
    if (is_live(options)) {
        const unsigned given = stack.format->nb_streams - (stack.device_sound < 0 ? 0 : 1);
        const bool again = stack.reconnecting != nullptr;
        const auto places = std::make_shared<StreamPlaces>(*stack.format, given, source->format(), again);
        if (again) {
            check_videos_go_on(*places, source->format(), stack, options);
        }
        const bool arrives = is_sent_live(stack, source->format(), options);
        lay<KnownStreams>(source, stack.videos, stack.watch, places, &*stack.account);
        lay<SameStreams>(source, places, stack.watch);
        if (arrives) {
            lay<SilentStreams>(source, stack.watch, options.timeout);
        }
        lay<FromKeyFrame>(source, stack.videos.front());
        lay_counting_layers(source, *stack.account, arrives ? std::optional(asked) : std::nullopt);
    } else {
        lay_file_layers(source, stack.videos, options, *stack.account, stack.watch);
    }
    return source;
}

// What one is made of, on the way.
class StackMaker {
public:
    StackMaker(InputStack& stack, InputRequest& options, const std::function<bool()>& interrupted)
        : stack_(stack), options_(options), interrupted_(interrupted) {}

    void make();

private:
    AVFormatContext& open();
    void look_at_appended(const AVFormatContext& context);
    void open_added();
    void compose();

    InputStack& stack_;
    InputRequest& options_;
    const std::function<bool()>& interrupted_;
    Moment asked_ = std::chrono::steady_clock::now();
    std::unique_ptr<PacketSource> opened_;
    std::unique_ptr<SoundDevice> sound_;
    std::vector<std::unique_ptr<AppendedFile>> behind_;
    std::int64_t own_end_ = AV_NOPTS_VALUE;  // of the input alone, if others follow it, microseconds
    std::vector<std::unique_ptr<AddedInput>> beside_;
};

void StackMaker::make() {
    stack_.watch = std::make_shared<StreamWatch>(options_.wanted, options_.strict, is_live(options_));
    AVFormatContext& context = open();
    if (stack_.videos.empty()) {
        stack_.videos = choose_videos(context, options_);
    }
    for (unsigned i = 0; i < context.nb_streams; ++i) {
        stack_.frame_rates.push_back(usual_frame_rate(context, *context.streams[i]));
    }
    stack_.format = stack_.own = &context;
    if (!options_.audio_device.empty()) {
        sound_ = std::make_unique<SoundDevice>(options_, interrupted_);
    }
    if (reopens(options_) || sound_) {
        // Others keep looking at the format while the input is closed and opened again.
        stack_.description = describe_input(context);
        stack_.format = stack_.own = stack_.description.get();
    }
    look_at_appended(context);
    open_added();
    if (sound_) {
        stack_.device_sound = static_cast<int>(stack_.description->nb_streams);
        describe_stream(sound_->stream(), *stack_.description);
        stack_.frame_rates.push_back({25, 1});
    }
    stack_.own_streams = static_cast<int>(stack_.format->nb_streams);
    stack_.account.emplace(options_, behind_.empty() ? *stack_.own : context, stack_.videos, stack_.frame_rates);
    for (const std::unique_ptr<AddedInput>& file : beside_) {
        file->describe(*stack_.description);
        stack_.waits = stack_.waits || file->waits();
        file->add_unread(stack_.unread);
    }
    stack_.frame_rates.resize(stack_.format->nb_streams, {25, 1});
    compose();
}

// A file, or the pictures that a name stands for, of which none is a file's.
AVFormatContext& StackMaker::open() {
    if (auto pictures = is_file_input(options_.path) ? find_pictures(options_.path) : std::nullopt) {
        auto sequence = std::make_unique<PictureSequence>(options_, std::move(*pictures), interrupted_);
        AVFormatContext& context = sequence->streams();
        opened_ = std::move(sequence);
        return context;
    }
    std::unique_ptr<OpenedInput> input = open_file(options_, interrupted_);
    stack_.waits = input->waits();
    stack_.unread = input->unread();
    AVFormatContext& context = input->format();
    opened_ = std::move(input);
    return context;
}

// What is told of the input from here on is true of all of them.
void StackMaker::look_at_appended(const AVFormatContext& context) {
    if (options_.appended.empty()) {
        return;
    }
    check_times(context, stack_.videos, options_.path);
    for (const std::string& path : options_.appended) {
        behind_.push_back(std::make_unique<AppendedFile>(options_, path, context, stack_.videos, interrupted_));
    }
    // Reading through all of them tells where each ends, and so does it tell who is to begin in the middle.
    own_end_ = told_end_of(context, context.start_time == AV_NOPTS_VALUE ? 0 : context.start_time);
    if (options_.start || (options_.end && options_.end->chapter)) {
        AppendedFile input(options_, options_.path, context, stack_.videos, interrupted_);
        input.measure();
        own_end_ = input.length() ? av_sat_add64(input.begin(), *input.length()) : AV_NOPTS_VALUE;
        for (const std::unique_ptr<AppendedFile>& file : behind_) {
            file->measure();
        }
    }
    stack_.joint = describe_appended(context, own_end_, behind_);
    stack_.format = stack_.own = stack_.joint.get();
}

// Their streams come behind those of the input in a description of both.
void StackMaker::open_added() {
    if (options_.added.empty()) {
        return;
    }
    if (stack_.description) {
        throw Error(ExitCode::usage, "--add is for an input that is not live and stays open, without --audio-device");
    }
    stack_.description = describe_file(*stack_.own);
    stack_.format = stack_.description.get();
    for (std::size_t number = 1; number <= options_.added.size(); ++number) {
        beside_.push_back(std::make_unique<AddedInput>(options_, number, interrupted_));
    }
}

void StackMaker::compose() {
    std::unique_ptr<PacketSource>& source = stack_.source;
    const int video = stack_.videos.front();
    source = lay_opening(std::move(opened_), stack_, options_, asked_);
    if (!behind_.empty()) {
        stack_.appended = lay<WithAppended>(source, *stack_.account, own_end_, std::move(behind_), *stack_.own,
                                            stack_.frame_rates, interrupted_);
    }
    if (reopens(options_)) {
        const auto open_again = [&stack = stack_, &options = options_, &interrupted = interrupted_] {
            const Moment asked = std::chrono::steady_clock::now();
            return lay_opening(std::make_unique<OpenedInput>(options, interrupted), stack, options, asked);
        };
        stack_.reconnecting = lay<Reconnecting>(source, open_again, *stack_.format, options_, interrupted_);
    }
    if (sound_) {
        stack_.with_sound = lay<WithSound>(source, std::move(sound_), *stack_.format, video);
    }
    // Pipes, and addresses whose sender waits for its reader.
    if (const Source& kind = source_of(options_.path);
        is_live(options_) && stack_.waits && !kind.live && !kind.device() && !is_playlist(*stack_.format->iformat)) {
        stack_.backlog = lay<Backlog>(source, video, has_no_times(*stack_.format->iformat, options_.input_options));
    }
    stack_.ahead = lay<ReadAhead>(source);
    if (!beside_.empty()) {
        stack_.with_files = lay<WithFiles>(source, std::move(beside_), *stack_.format, stack_.own_streams);
    }
    // What is read as it comes has its pace, if its times are those of its arrival.
    const bool by_arrival = is_live(options_) && takes_wall_clock(options_.input_options);
    if ((is_live(options_) || options_.streamed) && !source_of(options_.path).live && !by_arrival) {
        stack_.paced = lay<Paced>(source, video, stack_.frame_rates.at(static_cast<std::size_t>(video)), interrupted_);
    }
}

}  // namespace

std::unique_ptr<InputStack> open_stack(InputRequest& options, const std::function<bool()>& interrupted,
                                       std::vector<int> videos) {
    auto stack = std::make_unique<InputStack>();
    stack->videos = std::move(videos);
    StackMaker(*stack, options, interrupted).make();
    return stack;
}

}  // namespace vfilter
