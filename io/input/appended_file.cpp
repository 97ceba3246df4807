#include "io/input/appended_file.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <span>
#include <utility>

#include "io/formats/orientation.h"
#include "io/input/evidence/promises.h"
#include "io/input/file_layers.h"
#include "io/input/frame_rates.h"
#include "io/input/layers/with_files.h"
#include "io/input/packet_times.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

InputOptions options_behind(const InputOptions& input, std::size_t number) {
    InputOptions options = input;
    options.path = input.appended.at(number);
    options.added.clear();
    options.appended.clear();
    return options;
}

std::span<AVStream* const> streams_of(const AVFormatContext& format) {
    return {format.streams, format.nb_streams};
}

bool is_of_kind(const AVStream& stream, AVMediaType kind) {
    return stream.codecpar->codec_type == kind && !is_attached_picture(stream);
}

// A stream in words: "sound 1", counted from 0 as options do.
std::string name_of(const AVFormatContext& format, const AVStream& stream) {
    const AVMediaType kind = stream.codecpar->codec_type;
    const auto before = std::ranges::count_if(streams_of(format).first(static_cast<std::size_t>(stream.index)),
                                              [&](const AVStream* other) { return is_of_kind(*other, kind); });
    const char* const word = kind == AVMEDIA_TYPE_VIDEO      ? "video"
                             : kind == AVMEDIA_TYPE_AUDIO    ? "audio"
                             : kind == AVMEDIA_TYPE_SUBTITLE ? "subtitles"
                             : kind == AVMEDIA_TYPE_DATA     ? "data"
                                                             : "attachments";
    return fmt::format("{} {}", word, before);
}

// Those that go on in time.
bool goes_on(const AVStream& stream) {
    return !is_attached_picture(stream) && stream.codecpar->codec_type != AVMEDIA_TYPE_ATTACHMENT &&
           stream.codecpar->codec_type != AVMEDIA_TYPE_UNKNOWN;
}

}  // namespace

AppendedFile::AppendedFile(const InputOptions& input, std::size_t number, const AVFormatContext& first,
                           const std::vector<int>& videos, const std::function<bool()>& interrupted)
    : options_(options_behind(input, number)), interrupted_(interrupted) {
    look();
    find_places(first, videos);
    check_times(format(), videos_, name());
}

void check_times(const AVFormatContext& format, const std::vector<int>& videos, const std::string& name) {
    if (std::ranges::any_of(videos, [&](int video) { return format.streams[video]->start_time == AV_NOPTS_VALUE; })) {
        throw Error(ExitCode::input, fmt::format("{}: its pictures have no times, by which files follow each other; of "
                                                 "such files the bytes are joined (cat a b | vfilter -)",
                                                 name));
    }
}

void AppendedFile::look() {
    const std::unique_ptr<OpenedInput> opened = open_file(options_, interrupted_);
    AVFormatContext& format = opened->format();
    for (AVStream* const stream : streams_of(format)) {
        rates_.push_back(usual_frame_rate(format, *stream));
    }
    begin_ = is_priming(format.start_time) || format.start_time == AV_NOPTS_VALUE ? 0 : format.start_time;
    if (const std::int64_t end = told_end_of(format, begin_); end != AV_NOPTS_VALUE && end > begin_) {
        length_ = end - begin_;
    }
    description_ = describe_file(format);
    description_->pb = nullptr;  // it is closed now
}

// The nth of a kind goes on the nth of that kind.
void AppendedFile::find_places(const AVFormatContext& first, const std::vector<int>& videos) {
    places_.assign(description_->nb_streams, -1);
    std::string left;
    for (const AVStream* const stream : streams_of(*description_)) {
        if (!goes_on(*stream)) {
            continue;
        }
        const auto place = std::ranges::find_if(streams_of(first), [&](const AVStream* other) {
            return is_of_kind(*other, stream->codecpar->codec_type) &&
                   std::ranges::find(places_, other->index) == places_.end();
        });
        if (place == streams_of(first).end()) {
            left += fmt::format("{}{}", left.empty() ? "" : ", ", name_of(*description_, *stream));
            continue;
        }
        places_[static_cast<std::size_t>(stream->index)] = (*place)->index;
        if (std::ranges::find(videos, (*place)->index) != videos.end()) {
            videos_.push_back(stream->index);
            if (display_turn(*stream) != display_turn(**place)) {
                throw Error(ExitCode::usage, fmt::format("--append: {}: its pictures are turned otherwise than the "
                                                         "input's when they are shown; --vf transpose makes them stand "
                                                         "upright by themselves, each file for itself",
                                                         name()));
            }
        }
    }
    if (!left.empty()) {
        spdlog::warn("{}: left out, as the input has nothing like it: {}", name(), left);
    }
    std::string missing;
    for (const AVStream* const stream : streams_of(first)) {
        if (!goes_on(*stream) || own_of(stream->index) >= 0) {
            continue;
        }
        if (std::ranges::find(videos, stream->index) != videos.end()) {
            throw Error(ExitCode::input, fmt::format("{}: has no {}, which the input has and is filtered", name(),
                                                     name_of(first, *stream)));
        }
        missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name_of(first, *stream));
    }
    if (!missing.empty()) {
        spdlog::warn("{}: lacks what the input has: {}", name(), missing);
    }
}

int AppendedFile::place_of(int own) const {
    return own >= 0 && own < static_cast<int>(places_.size()) ? places_[static_cast<std::size_t>(own)] : -1;
}

int AppendedFile::own_of(int stream) const {
    const auto found = std::ranges::find(places_, stream);
    return found == places_.end() ? -1 : static_cast<int>(found - places_.begin());
}

void AppendedFile::open() {
    forget();
    std::unique_ptr<OpenedInput> opened = open_file(options_, interrupted_);
    account_.emplace(options_, opened->format(), videos_, rates_);
    source_ = std::move(opened);
    lay_file_layers(source_, videos_, options_, *account_);
}

int AppendedFile::read(AVPacket& packet) {
    try {
        const int got = source_->read(packet);
        if (got >= 0) {
            account_->given(packet);
        }
        return got;
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: {}", name(), error.what()));
    }
}

void AppendedFile::close(int error) {
    account_->end(error, interrupted_(), *source_, length_ ? begin_ + *length_ : AV_NOPTS_VALUE);
    if (options_.sha256 && error == AVERROR_EOF) {
        sum_ = source_->sha256(interrupted_);
    }
    for (int own = 0; own < static_cast<int>(tallies_.size()); ++own) {
        tallies_[static_cast<std::size_t>(own)] = {account_->has_packets(own), account_->empty_packets(own)};
    }
    pictures_end_ = account_->pictures_end();
    damage_ = account_->damage();
    source_.reset();  // before what it counts for
    account_.reset();
}

void AppendedFile::forget() {
    source_.reset();
    account_.reset();
    sum_.clear();
    tallies_.assign(places_.size(), {});
    pictures_end_ = AV_NOPTS_VALUE;
    damage_ = {};
}

Damage AppendedFile::damage() const {
    Damage damage = account_ ? account_->damage() : damage_;
    for (std::string& note : damage.notes) {
        note = fmt::format("{}: {}", name(), note);
    }
    return damage.give_to(name());
}

std::int64_t AppendedFile::empty_packets(int stream) const {
    const int own = own_of(stream);
    return own < 0 || tallies_.empty() ? 0
           : account_                  ? account_->empty_packets(own)
                                       : tallies_[static_cast<std::size_t>(own)].empty;
}

bool AppendedFile::has_packets(int stream) const {
    const int own = own_of(stream);
    return own >= 0 && !tallies_.empty() &&
           (account_ ? account_->has_packets(own) : tallies_[static_cast<std::size_t>(own)].any);
}

}  // namespace vfilter
