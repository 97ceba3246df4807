#include "io/output/part_index.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "io/compat.h"
#include "io/copied_stream.h"
#include "io/descriptor.h"
#include "io/memory_input.h"
#include "io/output/memory_output.h"
#include "io/output/part_bytes.h"
#include "io/output/part_extras.h"
#include "io/output/part_format.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// A cover has no packets of its own kind, and a time code is a track that the muxer makes of a tag.
bool is_indexed(const AVStream& stream) {
    const AVMediaType type = stream.codecpar->codec_type;
    return !is_attached_picture(stream) &&
           (type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE);
}

constexpr std::size_t most_waiting = std::size_t{1} << 20;  // where the disk takes nothing
constexpr std::chrono::milliseconds flush_interval{500};

std::vector<std::uint8_t> header_of(const AVFormatContext& output) {
    MemoryOutput header(*output.oformat);
    part_format::copy_streams(output, header.context());
    Dictionary settings;
    settings.set("movflags", "+empty_moov+default_base_moof+frag_keyframe");
    return header.writes_header(settings.get()) ? header.take() : std::vector<std::uint8_t>{};
}

}  // namespace

namespace part_format {

// Streams with all that is told of them, without what is made anew by a muxer.
void copy_streams(const AVFormatContext& from, AVFormatContext& to) {
    constexpr const char* time_code = "timecode";
    av_dict_copy(&to.metadata, from.metadata, 0);
    av_dict_set(&to.metadata, time_code, nullptr, 0);
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        const AVStream& stream = *from.streams[i];
        if (!is_indexed(stream)) {
            continue;
        }
        AVStream& copy = add_copied_stream(stream, to);
        av_dict_set(&copy.metadata, time_code, nullptr, 0);
        copy_side_data(stream, copy);
    }
}

// The header, read back.
InputContextPtr open_header(const MemoryInput& header) {
    int error = 0;
    InputContextPtr opened = open_memory(header, av_find_input_format("mov"), &error);
    av_check(error, "avformat_open_input", ExitCode::input);
    return opened;
}

}  // namespace part_format

std::string index_of(const std::string& part) {
    return part + ".index";
}

bool has_index(const std::string& part) {
    struct stat status {};
    return stat(index_of(part).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

PartIndex::PartIndex(const std::string& part, const AVFormatContext& output, const std::vector<PacketPtr>& covers)
    : path_(index_of(part)) {
    const std::vector<std::uint8_t> header = header_of(output);
    if (header.empty()) {
        spdlog::debug("{}: its streams' headers are known only at the end: no index is kept", part);
        return;
    }
    unsigned streams = 0;
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        numbers_.push_back(is_indexed(*output.streams[i]) ? static_cast<int>(streams++) : -1);
    }
    const MemoryInput input(header);
    if (part_format::open_header(input)->nb_streams != streams) {
        spdlog::debug("{}: its header has other streams than it: no index is kept", part);
        return;
    }
    constexpr int for_owner = 0600;
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_owner);
    if (descriptor_ < 0) {
        spdlog::warn("{}: {}: what a kill or a power cut leaves of the output could not be mended", path_,
                     std::strerror(errno));
        return;
    }
    waiting_.assign(part_format::first_line.begin(), part_format::first_line.end());
    append_counted(waiting_, header);
    append(waiting_, streams);
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        if (numbers_[i] >= 0) {
            append(waiting_, output.streams[i]->time_base);
        }
    }
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        if (numbers_[i] >= 0) {
            const AVCodecParameters& codec = *output.streams[i]->codecpar;
            append(waiting_, part_format::PictureSize{codec.width, codec.height});
        }
    }
    append_extras(output, covers, waiting_);
    append(waiting_, part_format::sum_of(waiting_));
    flush();
}

PartIndex::~PartIndex() {
    if (descriptor_ >= 0) {
        flush();
        close(descriptor_);
        if (!kept_ && unlink(path_.c_str()) != 0 && errno != ENOENT) {
            spdlog::warn("{}: not removed: {}", path_, std::strerror(errno));
        }
    }
}

void PartIndex::add(const AVPacket& packet, std::int64_t offset, std::int64_t size) {
    const int number = descriptor_ < 0 ? -1 : numbers_[static_cast<std::size_t>(packet.stream_index)];
    if (number < 0 || size <= 0 || size > part_format::max_packet || packet.duration < 0 ||
        packet.duration > INT32_MAX) {
        return;
    }
    part_format::Record record{
        packet.pts, packet.dts,   offset, static_cast<std::int32_t>(size), static_cast<std::int32_t>(packet.duration),
        number,     packet.flags, 0};
    record.sum = part_format::sum_of(record);
    append(waiting_, record);
    if (waiting_.size() >= part_format::flush_bytes || Clock::now() - flushed_ >= flush_interval) {
        flush();
    }
}

void PartIndex::flush() {
    // A full disk is told by the file itself. What did not go is tried again: behind a part of a record nothing could
    // be read any more.
    const std::size_t wrote = write_whole(descriptor_, waiting_);
    if (waiting_.size() - wrote < most_waiting) {
        waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(wrote));
    } else {
        close(std::exchange(descriptor_, -1));
    }
    flushed_ = Clock::now();
}

}  // namespace vfilter
