#include "io/input/picture_sequence.h"

extern "C" {
#include <libavutil/parseutils.h>
}

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "io/bitstream/png_texts.h"
#include "io/bitstream/svg_images.h"
#include "io/demuxers.h"
#include "io/descriptor.h"
#include "io/input/evidence/container_scan.h"
#include "io/input/jpeg_parts.h"
#include "io/input/layers/same_streams.h"
#include "io/input/opened_input.h"
#include "io/input/picture_kinds.h"
#include "io/input/picture_says.h"
#include "io/memory_input.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr std::size_t max_told_ranges = 4;
constexpr std::int64_t max_picture_bytes = INT_MAX - AV_INPUT_BUFFER_PADDING_SIZE;

// "" if all of the file is in the packet, else why not.
std::string read_picture_file(const std::string& path, AVPacket& packet) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return std::strerror(errno);
    }
    struct stat status {};
    std::string wrong;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        wrong = "no file";
    } else if (status.st_size == 0) {
        wrong = "empty";
    } else if (status.st_size > max_picture_bytes || av_new_packet(&packet, static_cast<int>(status.st_size)) < 0) {
        wrong = fmt::format("{} bytes are too many for a picture", status.st_size);
    }
    const auto size = static_cast<std::size_t>(packet.size);
    if (wrong.empty() && read_whole(file, 0, {packet.data, size}) < size) {
        wrong = errno == 0 ? "it became shorter while it was read" : std::strerror(errno);
    }
    close(file);
    return wrong;
}

bool has_second_packet(const std::function<int(AVPacket&)>& read, int stream) {
    const PacketPtr packet = make_packet();
    for (int left = 2; left > 0;) {
        av_packet_unref(packet.get());
        if (read(*packet) < 0) {
            return false;
        }
        left -= packet->stream_index == stream ? 1 : 0;
    }
    return true;
}

void note_fault(const std::string& what, bool strict, Damage& damage) {
    if (strict) {
        throw Error(ExitCode::damaged, what + ", and --strict was given");
    }
    ++damage.faults;
    damage.note(what);
}

}  // namespace

PictureSequence::PictureSequence(const InputRequest& options, FoundPictures pictures,
                                 const std::function<bool()>& interrupted)
    : options_(options), interrupted_(interrupted), pictures_(std::move(pictures)) {
    if (!options_.framerate.empty() && av_parse_video_rate(&rate_, options_.framerate.c_str()) < 0) {
        throw Error(ExitCode::usage, fmt::format("--framerate: '{}' is no rate", options_.framerate));
    }
    check_kinds();
    open_first();
    tell();
}

// One decoder takes all of them.
void PictureSequence::check_kinds() const {
    const std::string& first = pictures_.paths.front();
    if (const std::string other = other_kind(pictures_.paths); !other.empty()) {
        throw Error(ExitCode::input,
                    fmt::format("{}: pictures of several kinds are no sequence: {} is {}, {} is {}", options_.path,
                                first, kind_of_picture(first), other, kind_of_picture(other)));
    }
}

void PictureSequence::open_first() {
    InputRequest first = options_;
    first.path = pictures_.paths.front();
    first.framerate.clear();
    OpenedInput opened(first, interrupted_);
    format_ = describe_input(opened.format());
    const AVInputFormat* const format = opened.format().iformat;
    const int video = av_find_best_stream(format_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video < 0) {
        throw Error(ExitCode::input, fmt::format("{}: holds no picture", first.path));
    }
    demuxer_ = format->name;
    packed_ = demuxer_facts(*format).has(input_fact::pictures) ? nullptr : format;
    if (packed_ != nullptr && has_second_packet([&](AVPacket& packet) { return opened.read(packet); }, video)) {
        throw Error(
            ExitCode::usage,
            fmt::format("{}: {} has more than one picture: of videos --append FILE puts one behind another, and "
                        "--output-dir FOLDER filters each by itself",
                        options_.path, first.path));
    }
    // As one stream of pictures that follow each other.
    DescriptionPtr sequence = make_description();
    AVStream& stream = add_stream(*sequence);
    const AVStream& picture = *format_->streams[video];
    av_check(avcodec_parameters_copy(stream.codecpar, picture.codecpar), "avcodec_parameters_copy");
    stream.sample_aspect_ratio = picture.sample_aspect_ratio;
    stream.time_base = av_inv_q(rate_);
    stream.avg_frame_rate = stream.r_frame_rate = rate_;
    stream.start_time = 0;
    stream.nb_frames = std::ssize(pictures_.paths);
    stream.duration = pictures_.numbers.back() - pictures_.numbers.front() + 1;
    sequence->iformat = av_find_input_format("image2");
    sequence->start_time = 0;
    sequence->duration = microseconds(stream.duration, stream.time_base);
    format_ = std::move(sequence);
}

std::string PictureSequence::missing_numbers() const {
    std::string text;
    std::size_t ranges = 0;
    for (std::size_t i = 1; i < pictures_.numbers.size(); ++i) {
        const std::int64_t from = pictures_.numbers[i - 1] + 1;
        const std::int64_t to = pictures_.numbers[i] - 1;
        if (from > to) {
            continue;
        }
        if (++ranges > max_told_ranges) {
            return text + " and more";
        }
        text += fmt::format("{}{}", text.empty() ? "" : ", ", from);
        text += from < to ? fmt::format(" to {}", to) : "";
    }
    return text;
}

void PictureSequence::tell() const {
    const std::string missing = missing_numbers();
    const std::int64_t first = pictures_.numbers.front();
    const std::int64_t last = pictures_.numbers.back();
    const std::int64_t count = std::ssize(pictures_.paths);
    const std::string range = pictures_.numbered
                                  ? fmt::format("numbers {} to {}", first, last)
                                  : fmt::format("{} to {}", pictures_.paths.front(), pictures_.paths.back());
    spdlog::info("{}: {} picture{}, {}, {:.5g} per second{}", options_.path, count, count == 1 ? "" : "s", range,
                 av_q2d(rate_), options_.framerate.empty() ? " (--framerate)" : "");
    if (!missing.empty()) {
        const std::int64_t holes = last - first + 1 - count;
        spdlog::warn("{}: {} {} missing: {}", options_.path, holes, holes == 1 ? "picture is" : "pictures are",
                     missing);
    }
}

void PictureSequence::count_hole() {
    const std::int64_t number = pictures_.numbers[next_];
    const std::int64_t missing = next_ > 0 ? number - pictures_.numbers[next_ - 1] - 1 : 0;
    if (missing > 0) {
        const std::string hole = missing == 1
                                     ? fmt::format("picture {} is missing", number - 1)
                                     : fmt::format("pictures {} to {} are missing", number - missing, number - 1);
        if (options_.strict) {
            throw Error(ExitCode::damaged, fmt::format("{}: {}, and --strict was given", options_.path, hole));
        }
        damage_.pictures += missing;
        damage_.note(hole);
    }
}

int PictureSequence::read(AVPacket& packet) {
    for (; next_ < pictures_.paths.size(); ++next_) {
        if (interrupted_()) {
            return AVERROR_EXIT;
        }
        count_hole();
        const std::string& path = pictures_.paths[next_];
        const std::string wrong = load(path, packet);
        if (!wrong.empty()) {
            av_packet_unref(&packet);
            if (options_.strict) {
                throw Error(ExitCode::damaged, fmt::format("{}: {}, and --strict was given", path, wrong));
            }
            ++damage_.pictures;
            damage_.note(fmt::format("{}: {}", path, wrong));
            continue;
        }
        packet.pts = packet.dts = pictures_.numbers[next_] - pictures_.numbers.front();
        packet.duration = 1;
        packet.stream_index = 0;
        packet.flags |= AV_PKT_FLAG_KEY;
        packet.pos = -1;
        ++next_;
        return 0;
    }
    return AVERROR_EOF;
}

// "" or what is wrong.
std::string PictureSequence::load(const std::string& path, AVPacket& packet) {
    std::string wrong = read_picture_file(path, packet);
    const std::span file(packet.data, static_cast<std::size_t>(packet.size));
    wrong = wrong.empty() ? excess_of_png(file) : wrong;
    if (wrong.empty() && format_->streams[0]->codecpar->codec_id == AV_CODEC_ID_SVG) {
        wrong = excess_of_svg(file, options_.max_pixels);
    }
    if (wrong.empty()) {
        judge_file(path, file);
    }
    if (!wrong.empty() || packed_ != nullptr) {
        return wrong.empty() ? unpack(path, packet) : wrong;
    }
    if (tells_more_ && has_more_behind(file)) {
        tells_more_ = false;
        spdlog::warn(
            "{}: what lies behind the picture (previews, further pictures, a motion photo's video) is left out; "
            "of other files it is not told",
            path);
    }
    if (const std::string doubtful = add_what_picture_says(packet, format_->streams[0]->codecpar->codec_id);
        !doubtful.empty()) {
        note_fault(fmt::format("{}: {}", path, doubtful), options_.strict, damage_);
    }
    return "";
}

// What its structure tells, such as further pictures in it, which are not read.
void PictureSequence::judge_file(const std::string& path, std::span<const std::uint8_t> file) {
    std::unique_ptr<ContainerScan> scan = make_container_scan(demuxer_);
    if (!scan) {
        return;
    }
    ScanFeeder feeder(std::move(scan));
    feeder.feed(0, file);
    feeder.finish(std::ssize(file), {});
    if (!feeder.complete()) {
        return;
    }
    for (const ContainerFault& fault : feeder.scan().faults()) {
        note_fault(fmt::format("{}: {} at byte {}", path, fault.what, fault.offset), options_.strict, damage_);
    }
}

// Of a picture in a container (AVIF, GIF) the packet that its demuxer gives first.
std::string PictureSequence::unpack(const std::string& path, AVPacket& packet) {
    MemoryInput bytes(std::span(packet.data, static_cast<std::size_t>(packet.size)));
    int error = 0;
    const InputContextPtr format = open_memory(bytes, packed_, &error);
    if (!format) {
        return av_message(error);
    }
    const PacketPtr picture = make_packet();
    int got = 0;
    do {
        av_packet_unref(picture.get());
        got = av_read_frame(format.get(), picture.get());
    } while (got >= 0 && format->streams[picture->stream_index]->codecpar->codec_type != AVMEDIA_TYPE_VIDEO);
    if (got < 0) {
        return av_message(got);
    }
    av_check(av_packet_make_refcounted(picture.get()), "av_packet_make_refcounted");
    const int stream = picture->stream_index;
    const PacketPtr next = make_packet();
    while ((got = av_read_frame(format.get(), next.get())) >= 0 && next->stream_index != stream) {
        av_packet_unref(next.get());
    }
    if (got >= 0) {
        note_fault(fmt::format("{}: has more than one picture, of which the first is taken", path), options_.strict,
                   damage_);
    }
    av_packet_unref(&packet);
    av_packet_move_ref(&packet, picture.get());
    return "";
}

int PictureSequence::seek(int stream, std::int64_t latest, int /*flags*/) {
    const std::int64_t time =
        stream < 0 ? av_rescale_q_rnd(latest, microseconds_base, av_inv_q(rate_), AV_ROUND_DOWN) : latest;
    const auto after = std::ranges::upper_bound(pictures_.numbers, time + pictures_.numbers.front());
    next_ = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - pictures_.numbers.begin() - 1));
    damage_ = {};
    return 0;
}

}  // namespace vfilter
