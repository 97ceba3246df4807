#include "io/codec/part_encoders.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace vfilter {

namespace {

constexpr int usual_pictures = 250;
constexpr int fewest_pictures = 16;
constexpr std::int64_t usual_bytes = std::int64_t{512} << 20;
// Of each x264 that does not look ahead, as its fastest presets. Its bytes depend on that, and so not on the machine's
// processors, which several use better than with as many threads each as one alone would have (docs/benchmarks.md).
constexpr int x264_threads = 6;

// Each part is encoded by an encoder of its own, which allocates its pictures anew. Where the C library gives freed
// memory back to the system, which clears it before the next encoder gets it, that takes a tenth of the processors'
// time.
void keep_freed_memory() {
#ifdef M_MMAP_THRESHOLD
    constexpr int largest_kept = 32 << 20;  // the most that glibc allows
    mallopt(M_MMAP_THRESHOLD, largest_kept);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

bool asks_for_rate(const std::string& key, const std::string& value) {
    constexpr std::array<std::string_view, 5> keys{"b", "maxrate", "minrate", "bufsize", "rc_init_occupancy"};
    if (!key.ends_with("-params") && key != "x264opts") {
        return std::ranges::find(keys, key) != keys.end();
    }
    constexpr std::array<std::string_view, 5> entries{":bitrate=", ":vbv-", ":tbr=", ":mbr=", ":rc="};
    std::string list = ":" + value;
    std::ranges::replace(list, '_', '-');
    return std::ranges::any_of(entries, [&](std::string_view entry) { return list.find(entry) != std::string::npos; });
}

}  // namespace

bool can_be_parted(AVCodecID codec) {
    constexpr std::array codecs{AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1};
    return std::ranges::find(codecs, codec) != codecs.end();
}

EncoderParts parts_for(const OutputOptions& options, const EncodeTask& task, const AVCodecContext& encoder) {
    if (options.encoders == 1 || task.trial || task.streamed || !can_be_parted(encoder.codec_id)) {
        return {};
    }
    const auto rate = std::ranges::find_if(
        options.encoder_options, [](const auto& option) { return asks_for_rate(option.first, option.second); });
    const std::string asked = options.two_pass || task.pass != 0      ? "--two-pass"
                              : options.bitrate                       ? "--bitrate"
                              : rate != options.encoder_options.end() ? fmt::format("--encoder-option {}", rate->first)
                                                                      : "";
    if (!asked.empty()) {
        throw Error(
            ExitCode::usage,
            fmt::format("--encoders: {} is about the bits of the whole video, of which each encoder sees parts: "
                        "--crf N is the same in all of them",
                        asked));
    }
    const std::int64_t bytes = av_image_get_buffer_size(encoder.pix_fmt, encoder.width, encoder.height, 1);
    // An even number, as x264 numbers pictures that begin anew 0 and 1 in turn, from 0 in each part.
    const std::int64_t fitting = usual_bytes / std::max<std::int64_t>(bytes, 1) / 2 * 2;
    const auto pictures = static_cast<int>(std::clamp<std::int64_t>(fitting, fewest_pictures, usual_pictures));
    return {options.encoders, options.part_pictures != 0 ? options.part_pictures : pictures};
}

int threads_of_part(const OutputOptions& options, const AVCodecContext& encoder) {
    const bool x264 = std::string_view(encoder.codec->name).starts_with("libx264");
    const bool looks_ahead = options.preset != "ultrafast" && options.preset != "superfast";
    return encoder.thread_count == 0 && x264 && !looks_ahead ? x264_threads : encoder.thread_count;
}

void set_up_like(const AVCodecContext& from, AVCodecContext& to) {
    AVCodecParameters* facts = avcodec_parameters_alloc();
    const std::unique_ptr<AVCodecParameters*, void (*)(AVCodecParameters**)> owner(&facts, avcodec_parameters_free);
    if (facts == nullptr) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_from_context(facts, &from), "avcodec_parameters_from_context");
    av_check(avcodec_parameters_to_context(&to, facts), "avcodec_parameters_to_context");
    to.time_base = from.time_base;
    to.framerate = from.framerate;
    to.thread_count = from.thread_count;
    to.strict_std_compliance = from.strict_std_compliance;
    to.flags = from.flags;
    to.gop_size = from.gop_size;
    to.global_quality = from.global_quality;
    to.qmin = from.qmin;
}

PartEncoders::PartEncoders(AVCodecContext& first, EncoderParts parts, Open open)
    : first_(first), parts_(parts), open_(std::move(open)) {
    keep_freed_memory();
    threads_.reserve(static_cast<std::size_t>(parts_.encoders));
    try {
        while (threads_.size() < static_cast<std::size_t>(parts_.encoders)) {
            threads_.emplace_back([this] { work(); });
        }
    } catch (const std::exception& error) {
        if (threads_.empty()) {  // fewer do the same in more time
            throw Error(ExitCode::encoder, fmt::format("no thread for an encoder: {}", error.what()));
        }
    }
}

PartEncoders::~PartEncoders() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

// Under the lock.
bool PartEncoders::can_take() const {
    if (!inside_.empty() && !inside_.back().whole) {
        return true;
    }
    const auto undone = static_cast<std::size_t>(std::ranges::count(inside_, false, &Part::done));
    return undone < threads_.size() && inside_.size() < 2 * threads_.size();
}

// Under the lock: whether the thread that waits has something to do.
bool PartEncoders::may_go_on() const {
    const bool received = !inside_.empty() && (inside_.front().done || !inside_.front().packets.empty());
    return cancelled_ || failure_ || received || (ended_ ? inside_.empty() : can_take());
}

void PartEncoders::wait() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return may_go_on(); });
    throw_failure();
}

void PartEncoders::cancel() {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    ready_.notify_all();
}

bool PartEncoders::takes() const {
    const std::lock_guard lock(mutex_);
    return can_take();
}

// Under the lock.
void PartEncoders::throw_failure() const {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void PartEncoders::send(FramePtr picture) {
    {
        const std::lock_guard lock(mutex_);
        throw_failure();
        if (picture) {
            if (inside_.empty() || inside_.back().whole) {
                inside_.emplace_back().first = !std::exchange(begun_, true);
            }
            Part& part = inside_.back();
            part.shown.push_back(picture->pts);
            part.pictures.push_back(std::move(picture));
            part.whole = part.shown.size() == static_cast<std::size_t>(parts_.pictures);
        } else {
            ended_ = true;
            if (!inside_.empty()) {
                inside_.back().whole = true;
            }
        }
    }
    changed_.notify_all();
}

PacketPtr PartEncoders::receive() {
    const std::lock_guard lock(mutex_);
    throw_failure();
    while (!inside_.empty() && inside_.front().packets.empty() && inside_.front().done) {
        shown_before_ = std::move(inside_.front().shown);
        received_ = 0;
        inside_.pop_front();
    }
    if (inside_.empty() || inside_.front().packets.empty()) {
        return nullptr;
    }
    PacketPtr packet = std::move(inside_.front().packets.front());
    inside_.front().packets.pop_front();
    order(*packet);
    return packet;
}

// The decoding time of a packet is the time of the picture shown so many earlier as the encoder holds back, which for
// the first of all lie before the first picture. Those of a part go on from the part before.
void PartEncoders::order(AVPacket& packet) {
    const std::deque<std::int64_t>& shown = inside_.front().shown;
    const std::size_t number = received_++;
    if (inside_.front().first) {
        held_back_ += packet.dts < shown.front() ? 1 : 0;
    } else {
        packet.dts = number < held_back_ ? shown_before_.at(shown_before_.size() - held_back_ + number)
                                         : shown.at(number - held_back_);
    }
}

bool PartEncoders::ended() const {
    const std::lock_guard lock(mutex_);
    return ended_ && inside_.empty();
}

void PartEncoders::work() {
    try {
        while (Part* const part = next_part()) {
            const CodecContextPtr own = part->first ? nullptr : open_();
            encode(*part, own ? *own : first_);
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = failure_ ? failure_ : std::current_exception();
        ready_.notify_all();
    }
}

// Null when nothing more is wanted.
PartEncoders::Part* PartEncoders::next_part() {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (stopped_) {
            return nullptr;
        }
        const auto part = std::ranges::find(inside_, false, &Part::taken);
        if (part != inside_.end()) {
            part->taken = true;
            return &*part;
        }
        if (ended_) {
            return nullptr;
        }
        changed_.wait(lock);
    }
}

// Null for the end.
FramePtr PartEncoders::next_picture(Part& part) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || part.whole || !part.pictures.empty(); });
    if (stopped_ || part.pictures.empty()) {
        return nullptr;
    }
    FramePtr picture = std::move(part.pictures.front());
    part.pictures.pop_front();
    return picture;
}

void PartEncoders::encode(Part& part, AVCodecContext& encoder) {
    const auto check = [&](int result) {
        if (result < 0 && result != AVERROR(EAGAIN) && result != AVERROR_EOF) {
            throw Error(ExitCode::encoder,
                        fmt::format("the encoder {} failed: {}", encoder.codec->name, av_message(result)));
        }
        return result >= 0;
    };
    for (bool more = true; more;) {
        const FramePtr picture = next_picture(part);
        {
            const std::lock_guard lock(mutex_);
            if (stopped_) {
                return;
            }
        }
        more = picture != nullptr;
        check(avcodec_send_frame(&encoder, picture.get()));
        for (PacketPtr packet = make_packet(); check(avcodec_receive_packet(&encoder, packet.get()));
             packet = make_packet()) {
            const std::lock_guard lock(mutex_);
            if (stopped_) {
                return;
            }
            part.packets.push_back(std::move(packet));
            ready_.notify_one();
        }
    }
    const std::lock_guard lock(mutex_);
    part.done = true;
    ready_.notify_one();
}

}  // namespace vfilter
