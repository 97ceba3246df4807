#include "pipeline/session/auto_crop.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "config/error.h"
#include "io/bitstream/random_access.h"
#include "io/codec/successive_decoders.h"
#include "io/graph/filter_graph.h"
#include "io/input/part_entry.h"
#include "io/packet_times.h"
#include "io/source.h"
#include "pipeline/session/black_bars.h"
#include "pipeline/session/chains.h"
#include "pipeline/session/quiet_log.h"
#include "pipeline/session/two_pass.h"

namespace vfilter {

namespace {

constexpr const char* by_numbers = "give --vf crop=W:H:X:Y";

// What crop is where nobody has looked yet: it is known to libavfilter, and cuts nothing.
constexpr const char* not_yet = "crop";

// Pictures as they come to the first graph of a chain, in a format whose samples are known.
class UprightPictures {
public:
    UprightPictures(const AVFrame& first, const Demuxer& input, int stream)
        : normaliser_(Converter::from_native(first.width, first.height, static_cast<AVPixelFormat>(first.format),
                                             static_cast<AVPixelFormat>(first.format))),
          graph_("null",
                 {.pictures = {.format = static_cast<AVPixelFormat>(first.format),
                               .width = first.width,
                               .height = first.height,
                               .time_base = input.format().streams[stream]->time_base,
                               .matrix = first.colorspace == AVCOL_SPC_RGB ? AVCOL_SPC_UNSPECIFIED : first.colorspace,
                               .range = first.color_range},
                  .turn = display_turn(first, *input.format().streams[stream]),
                  .taken = native_formats(),
                  .threads = 1}),
          format_(first_format(first, input, stream)) {
        format_.format = graph_.made().format;
        format_.width = graph_.made().width;
        format_.height = graph_.made().height;
        graph_.keep_quiet();
    }

    [[nodiscard]] const PictureFormat& format() const { return format_; }
    [[nodiscard]] FramePtr upright(FramePtr picture, FramePool& pool) {
        if (normaliser_.needed(*picture)) {
            FramePtr same = make_frame();
            same->format = normaliser_.format();
            same->width = normaliser_.width();
            same->height = normaliser_.height();
            pool.fill(*same, same->width, same->height);
            normaliser_.convert(*picture, *same);
            picture = std::move(same);
        }
        graph_.send(std::move(picture));
        return graph_.receive();
    }

private:
    Converter normaliser_;
    FilterGraph graph_;
    PictureFormat format_;
};

InputRequest reader_options(const Options& options, bool from_start) {
    InputRequest whole(options.input);
    if (!from_start) {
        whole.start.reset();
    }
    whole.end.reset();
    whole.duration.reset();
    whole.frames.reset();
    whole.added.clear();
    whole.audio_device.clear();
    whole.strict = false;
    whole.reconnect = 0;
    whole.wanted = kind::video;
    return whole;
}

// The part in which pictures are looked for, microseconds of the input's clock.
struct Stretch {
    static constexpr std::int64_t nobody_knows = INT64_MAX;
    std::int64_t from;
    std::int64_t to;  // or nobody_knows: single pictures, bare streams

    [[nodiscard]] bool known() const { return to != nobody_knows; }
};

Stretch stretch_of(const Demuxer& input) {
    const WantedPart& part = input.part();
    const std::int64_t told = input.told_end();
    const std::int64_t end =
        std::min(told == AV_NOPTS_VALUE ? Stretch::nobody_knows : told, part.end.value_or(Stretch::nobody_knows));
    const std::int64_t begin = std::max(part.start.value_or(INT64_MIN), part.first_picture);
    return {begin, std::max(end, begin + 1)};
}

class BarSearch {
public:
    BarSearch(const Options& options, const Demuxer& input, const AVFrame& first,
              const std::function<bool()>& interrupted)
        : options_(options),
          interrupted_(interrupted),
          stream_(input.video_index()),
          time_base_(input.video().time_base),
          span_(stretch_of(input)),
          most_(input.part().max_frames),
          pictures_(first, input, stream_) {}

    void run();
    [[nodiscard]] const BlackBars& bars() const { return bars_; }
    [[nodiscard]] std::size_t pictures() const { return seen_.size(); }
    /// Whether nothing was looked at behind the first `most_decoded`.
    [[nodiscard]] bool gave_up() const { return gave_up_; }
    [[nodiscard]] int width() const { return pictures_.format().width; }
    [[nodiscard]] int height() const { return pictures_.format().height; }

    /// So many are decoded one after another where there are too few key frames: a minute or so.
    static constexpr int most_decoded = 2000;

private:
    static constexpr int places = 12;
    // Fewer tell too little. Each 10 s a key frame is what encoders make.
    static constexpr std::size_t few = places / 2;
    // One of so many is looked at where nobody knows how many there are, or sound is much longer than they are.
    static constexpr int pictures_apart = 25;

    [[nodiscard]] std::int64_t place(int number) const {
        return span_.from + (span_.to - span_.from) * (2 * number + 1) / (2 * places);
    }
    [[nodiscard]] std::int64_t time_of(const AVFrame& picture) const { return microseconds(picture.pts, time_base_); }
    void open(bool from_start);
    PacketPtr next_key();
    [[nodiscard]] bool look_at_key_frames();
    void look_along();
    FramePtr next_picture(FrameSource& decoder, std::int64_t from);
    void look_at(FramePtr picture);

    const Options& options_;
    const std::function<bool()>& interrupted_;
    int stream_;
    AVRational time_base_;
    Stretch span_;
    std::optional<std::int64_t> most_;  // pictures of the part
    FramePool pool_{allocate_picture};
    UprightPictures pictures_;
    std::unique_ptr<Demuxer> reader_;
    bool ended_ = false;
    bool gave_up_ = false;
    std::set<std::int64_t> seen_;  // their times
    BlackBars bars_;
};

void BarSearch::open(bool from_start) {
    reader_ = std::make_unique<Demuxer>(reader_options(options_, from_start), interrupted_);
    if (reader_->video_index() != stream_) {
        throw Error(ExitCode::input,
                    fmt::format("--crop auto: the input has changed since it was opened: {}", options_.input.path));
    }
}

// The next one that is shown at `from` or later; null where none is left.
FramePtr BarSearch::next_picture(FrameSource& decoder, std::int64_t from) {
    while (true) {
        while (FramePtr picture = decoder.receive()) {
            const bool whole = (picture->flags & AV_FRAME_FLAG_CORRUPT) == 0 && picture->decode_error_flags == 0;
            if (whole && time_of(*picture) >= from) {
                return picture;
            }
        }
        if (ended_) {
            return nullptr;
        }
        const PacketPtr packet = reader_->read();
        ended_ = packet == nullptr;
        if (ended_ || (packet->stream_index == stream_ && !reader_->is_encrypted(*packet))) {
            decoder.send(packet.get());
        }
    }
}

void BarSearch::look_at(FramePtr picture) {
    if (time_of(*picture) < span_.to && seen_.insert(picture->pts).second) {
        if (const FramePtr upright = pictures_.upright(std::move(picture), pool_)) {
            bars_.add(*upright, pictures_.format());
        }
    }
}

// The next packet that decoding can begin with, null where none comes soon.
PacketPtr BarSearch::next_key() {
    const RandomAccess access(*reader_->format().streams[stream_]->codecpar);
    for (std::size_t i = 0; i < PartEntry::max_read_ahead; ++i) {
        PacketPtr packet = reader_->read();
        if (!packet) {
            return nullptr;
        }
        if (packet->stream_index == stream_ && (packet->flags & AV_PKT_FLAG_KEY) != 0 &&
            !reader_->is_encrypted(*packet) && !access.leans_on_others(*packet)) {
            return packet;
        }
    }
    return nullptr;
}

// Near the places: what a decoder can begin with is soon there. False where the input cannot be sought.
bool BarSearch::look_at_key_frames() {
    // Each field may be a packet.
    const bool fields = reader_->format().streams[stream_]->codecpar->field_order > AV_FIELD_PROGRESSIVE;
    std::set<std::int64_t> entered;
    for (int i = 0; i < places && !interrupted_(); ++i) {
        if (!reader_->go_to(place(i))) {
            return false;
        }
        const PacketPtr key = next_key();
        const std::int64_t shown = key != nullptr ? presentation_time(*key) : AV_NOPTS_VALUE;
        const std::int64_t from = shown == AV_NOPTS_VALUE ? INT64_MIN : microseconds(shown, time_base_);
        // From one before the part on nearly as much may have to be decoded as there is.
        if (from < span_.from || from >= span_.to || !entered.insert(from).second) {
            continue;
        }
        const auto decoder = make_decoder(*reader_, stream_, pool_, 1, false);
        decoder->send(key.get());
        ended_ = !fields;
        if (ended_) {
            decoder->send(nullptr);  // what comes later would have to be decoded for nothing but its place in the order
        }
        // What is shown before it may lean on what was not read.
        if (FramePtr picture = next_picture(*decoder, from)) {
            look_at(std::move(picture));
        }
    }
    return true;
}

// One after another from the beginning of the part on.
void BarSearch::look_along() {
    open(true);
    ended_ = false;
    const auto decoder = make_decoder(*reader_, stream_, pool_, options_.threads, false);
    int decoded = 0;
    int next = 0;
    while (next < places && decoded < std::min<std::int64_t>(most_decoded, most_.value_or(most_decoded))) {
        FramePtr picture = next_picture(*decoder, span_.from);
        if (!picture || time_of(*picture) >= span_.to) {
            return;
        }
        ++decoded;
        const std::int64_t time = time_of(*picture);
        const bool reached = span_.known() && time >= place(next);
        const bool more = !span_.known() || seen_.size() < few;
        // The first one may be all that there is.
        if (reached || decoded == 1 || (more && decoded % pictures_apart == 0)) {
            look_at(std::move(picture));
        }
        while (reached && next < places && time >= place(next)) {
            ++next;
        }
    }
    gave_up_ = decoded == most_decoded && next < places;
    if (gave_up_ && !span_.known()) {
        throw Error(ExitCode::usage,
                    fmt::format("--crop auto looks at pictures all over the input, which does not say how long it is, "
                                "and goes on behind the first {}: {}, or an --end",
                                most_decoded, by_numbers));
    }
}

void BarSearch::run() {
    const QuietLog said_before;
    open(false);
    if (!span_.known() || !look_at_key_frames() || seen_.size() < few) {
        look_along();
    }
}

}  // namespace

void begin_auto_crop(Options& options) {
    if (!options.auto_crop) {
        return;
    }
    const InputOptions& input = options.input;
    if (is_live(input) || !is_read_again(input.path)) {
        throw Error(ExitCode::usage, fmt::format("--crop auto looks at pictures all over the input before the run: it "
                                                 "has to be a file that is given by its name, and not live; else {}",
                                                 by_numbers));
    }
    if (!input.appended.empty()) {
        throw Error(ExitCode::usage,
                    fmt::format("--crop auto looks at one file, and not at those of --append: {}", by_numbers));
    }
    options.foreign.insert(options.foreign.begin(), {0, not_yet});
}

FoundCrop find_auto_crop(Options& options, const RunParts& parts, const std::function<bool()>& interrupted) {
    const Demuxer& input = *parts.demuxer;
    if (input.videos().size() > 1) {
        throw Error(ExitCode::usage, fmt::format("--crop auto is for one video, and {} are filtered: {}, or a "
                                                 "--video-stream N",
                                                 input.videos().size(), by_numbers));
    }
    BarSearch search(options, input, *parts.first_pictures.front().first, interrupted);
    search.run();
    options.auto_crop = false;
    if (search.gave_up()) {
        spdlog::warn("--crop auto: there are too few key frames to look at pictures behind the first {}",
                     BarSearch::most_decoded);
    }
    const PictureBox whole{0, 0, search.width(), search.height()};
    const PictureBox box = search.bars().inside().value_or(whole);
    const auto count = [](std::size_t pictures) {
        return fmt::format("{} picture{}", pictures, pictures == 1 ? "" : "s");
    };
    const auto lit = static_cast<std::size_t>(search.bars().lit());
    if (interrupted()) {
        options.foreign.erase(options.foreign.begin());
    } else if (box != whole) {
        options.foreign.front().graph = crop_graph(box);
        spdlog::info("crop auto: {}x{} from {},{} in {}; as --vf {}", box.width, box.height, box.x, box.y, count(lit),
                     options.foreign.front().graph);
    } else {
        options.foreign.erase(options.foreign.begin());
        if (search.pictures() == 0) {
            spdlog::warn("--crop auto: nothing is cut, as no picture could be looked at");
        } else if (lit == 0) {
            spdlog::warn("--crop auto: nothing is cut, as {} {} black all over", count(search.pictures()),
                         search.pictures() == 1 ? "is" : "are");
        } else {
            spdlog::info("crop auto: no black bars in {}, and nothing is cut", count(lit));
        }
    }
    return {box.width, box.height, box.x, box.y, lit};
}

}  // namespace vfilter
