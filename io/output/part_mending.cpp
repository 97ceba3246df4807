#include "io/output/part_mending.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "io/containers.h"
#include "io/input/input_bytes.h"
#include "io/memory_input.h"
#include "io/output/container_choice.h"
#include "io/output/output_file.h"
#include "io/output/part_bytes.h"
#include "io/output/part_extras.h"
#include "io/output/part_format.h"
#include "io/output/part_index.h"

namespace vfilter {

using part_format::PictureSize;
using part_format::Record;

namespace {

constexpr unsigned max_streams = 1000;
constexpr std::int64_t max_index_file = std::int64_t{1} << 32;
constexpr std::int64_t max_time = INT64_MAX / 4;  // so that sums stay in range

std::vector<std::uint8_t> read_index(const std::string& path) {
    struct stat status {};
    std::ifstream file(path, std::ios::binary);
    if (stat(path.c_str(), &status) != 0 || status.st_size > max_index_file || !file) {
        throw Error(ExitCode::input, fmt::format("{}: {}", path, std::strerror(errno)));
    }
    std::vector<std::uint8_t> content(static_cast<std::size_t>(status.st_size));
    if (!file.read(reinterpret_cast<char*>(content.data()), status.st_size)) {
        throw Error(ExitCode::input, fmt::format("{}: cannot be read to its end", path));
    }
    return content;
}

// What stands before the records.
struct IndexHead {
    std::span<const std::uint8_t> header;  // of the streams
    std::vector<AVRational> clocks;
    std::vector<PictureSize> sizes;
    PartExtras extras;
};

// All of which the reader holds. Throws Error(input) where it cannot be.
IndexHead read_head(PartReader& reader) {
    const std::span<const std::uint8_t> content = reader.bytes;
    const auto begin = reader.take(part_format::first_line.size());
    if (!std::ranges::equal(begin, part_format::first_line)) {
        const bool other =
            std::ranges::equal(begin.first(part_format::any_first_line.size()), part_format::any_first_line);
        throw Error(ExitCode::input,
                    fmt::format("{}: is {}", reader.path,
                                other ? "of another version of vfilter, by which alone it can be mended"
                                      : "no index of an unfinished file"));
    }
    IndexHead head{.header = reader.counted(), .clocks = {}, .sizes = {}, .extras = {}};
    for (auto count = std::min(reader.value<unsigned>(), max_streams); count > 0; --count) {
        head.clocks.push_back(reader.value<AVRational>());
    }
    for (std::size_t i = 0; i < head.clocks.size(); ++i) {
        head.sizes.push_back(reader.value<PictureSize>());
    }
    head.extras = read_extras(reader);
    const std::size_t size = content.size() - reader.bytes.size();
    const bool whole = reader.value<std::uint64_t>() == part_format::sum_of(content.first(size));
    const auto ticks = [](AVRational clock) { return clock.num > 0 && clock.den > 0; };
    if (!whole || !std::ranges::all_of(head.clocks, ticks)) {
        throw Error(ExitCode::input, fmt::format("{}: is damaged", reader.path));
    }
    return head;
}

// Those of packets that are in the .part whole. `torn` becomes true where the index ends in one, or has a damaged one.
std::vector<Record> read_records(PartReader reader, std::size_t streams, std::int64_t part_bytes, bool& torn) {
    std::vector<Record> records;
    while (reader.bytes.size() >= sizeof(Record)) {
        const auto record = reader.value<Record>();
        const auto in_range = [](std::int64_t time) {
            return time == AV_NOPTS_VALUE || (time > -max_time && time < max_time);
        };
        if (record.sum != part_format::sum_of(record) || record.size < 0 || record.size > part_format::max_packet ||
            record.offset < 0 || record.stream < 0 || static_cast<std::size_t>(record.stream) >= streams ||
            record.duration < 0 || !in_range(record.pts) || !in_range(record.dts)) {
            torn = true;
            return records;
        }
        if (record.offset > part_bytes - record.size) {
            return records;  // it was still in memory
        }
        records.push_back(record);
    }
    torn = !reader.bytes.empty();
    return records;
}

bool holds_video(const std::vector<Record>& records, const AVFormatContext& streams) {
    return std::ranges::any_of(records, [&](const Record& record) {
        return streams.streams[record.stream]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    });
}

// Bytes of packets of which PartIndex had not written the records when the run ended: so many records wait, and of a
// slow disk twice as many.
std::int64_t most_in_memory(const std::vector<Record>& records) {
    constexpr std::int64_t waiting = 2 * part_format::flush_bytes / sizeof(Record);
    constexpr std::int64_t least = 1 << 20;
    std::int64_t bytes = 0;
    for (const Record& record : records) {
        bytes += record.size;
    }
    return least + waiting * bytes / std::max<std::int64_t>(1, std::ssize(records));
}

// Of the bytes of the packets.
std::int64_t end_of(const std::vector<Record>& records) {
    std::int64_t end = 0;
    for (const Record& record : records) {
        end = std::max(end, record.offset + record.size);
    }
    return end;
}

double seconds_of_records(const std::vector<Record>& records, const std::vector<AVRational>& clocks) {
    double seconds = 0;
    for (const Record& record : records) {
        if (record.pts != AV_NOPTS_VALUE) {
            const AVRational clock = clocks[static_cast<std::size_t>(record.stream)];
            seconds = std::max(seconds, static_cast<double>(record.pts + record.duration) * av_q2d(clock));
        }
    }
    return seconds;
}

// False where `stop` was true meanwhile.
bool write_packets(const std::string& part, const InputBytes& bytes, const std::vector<Record>& records,
                   const std::vector<AVRational>& clocks, const std::function<bool()>& stop, AVFormatContext& output) {
    for (const Record& record : records) {
        if (stop()) {
            return false;
        }
        const PacketPtr packet = make_packet();
        if (av_new_packet(packet.get(), record.size) < 0) {
            throw std::bad_alloc();
        }
        errno = 0;
        if (bytes.read_at(record.offset, {packet->data, static_cast<std::size_t>(record.size)}) !=
            static_cast<std::size_t>(record.size)) {
            throw Error(ExitCode::input, fmt::format("{}: {}", part, errno != 0 ? std::strerror(errno) : "has shrunk"));
        }
        packet->pts = record.pts;
        packet->dts = record.dts;
        packet->duration = record.duration;
        packet->flags = record.flags;
        packet->stream_index = record.stream;
        av_packet_rescale_ts(packet.get(), clocks[static_cast<std::size_t>(record.stream)],
                             output.streams[record.stream]->time_base);
        av_check(av_interleaved_write_frame(&output, packet.get()), "av_interleaved_write_frame", ExitCode::output);
    }
    return true;
}

}  // namespace

std::optional<Mended> mend(const std::string& part, const OutputOptions& output, const std::function<bool()>& stop) {
    const std::string index = index_of(part);
    if (!has_index(part)) {
        throw Error(ExitCode::input,
                    fmt::format("{}: there is no {}: it needs no mending, or cannot be mended", part, index));
    }
    const AVOutputFormat& container = choose_container(output);
    if (!is_quicktime(container)) {
        throw Error(ExitCode::usage,
                    fmt::format("{}: what is mended becomes an mp4 or mov, and no {}", output.path, container.name));
    }
    const std::vector<std::uint8_t> content = read_index(index);
    PartReader reader{index, content};
    const IndexHead head = read_head(reader);
    const MemoryInput header(head.header);
    const auto streams = part_format::open_header(header);
    if (streams->nb_streams != head.clocks.size()) {
        throw Error(ExitCode::input, fmt::format("{}: is damaged", index));
    }
    const InputBytes bytes(part, [] { return 0; });
    bool torn = false;
    const std::vector<Record> records = read_records(reader, head.clocks.size(), bytes.size(), torn);
    if (!holds_video(records, *streams)) {
        throw Error(ExitCode::input, fmt::format("{}: tells of no picture that {} holds", index, part));
    }
    Mended mended{
        .seconds = seconds_of_records(records, head.clocks), .left_out = bytes.size() - end_of(records), .whole = true};
    mended.whole = !torn && mended.left_out <= most_in_memory(records);
    if (!mended.whole) {
        spdlog::warn("{}: is cut or damaged behind its {} packets: what follows them in {} is left out", index,
                     records.size(), part);
    }
    OutputFile file(output.path, output.overwrite, stop);
    file.discard();
    const OutputContextPtr made = make_output(container);
    made->pb = file.context();
    made->flags |= AVFMT_FLAG_CUSTOM_IO;
    part_format::copy_streams(*streams, *made);
    for (std::size_t i = 0; i < head.sizes.size(); ++i) {
        made->streams[i]->codecpar->width = head.sizes[i].width;
        made->streams[i]->codecpar->height = head.sizes[i].height;
    }
    add_extras(head.extras, mended.seconds, *made);
    try {
        av_check(avformat_write_header(made.get(), nullptr), "avformat_write_header", ExitCode::output);
        write_covers(head.extras, *made);
        if (!write_packets(part, bytes, records, head.clocks, stop, *made)) {
            return std::nullopt;
        }
        av_check(av_write_trailer(made.get()), "av_write_trailer", ExitCode::output);
    } catch (const Error&) {
        if (stop()) {
            return std::nullopt;
        }
        file.check();  // which names the file
        throw;
    }
    file.flush();
    file.verify(stop);
    if (stop()) {
        return std::nullopt;
    }
    file.commit();
    return mended;
}

}  // namespace vfilter
