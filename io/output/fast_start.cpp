#include "io/output/fast_start.h"

#include <spdlog/spdlog.h>

extern "C" {
#include <libavutil/intreadwrite.h>
}

#include <algorithm>
#include <array>
#include <climits>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "io/input/evidence/boxes.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

constexpr std::int64_t box_header = 8;  // of a box: size and type
constexpr std::int64_t usual_spare = 64 << 10;

// The boxes of a file from `at` on. Nothing where they do not tile it.
std::vector<FileBox> read_boxes(const OutputFile& file, std::int64_t at) {
    const auto read = [&](std::int64_t offset, std::span<std::uint8_t> to) {
        const std::vector<std::uint8_t> bytes =
            file.read(offset, std::min(std::ssize(to), std::max<std::int64_t>(file.end() - offset, 0)));
        std::ranges::copy(bytes, to.begin());
        return bytes.size();
    };
    std::vector<FileBox> boxes;
    const std::int64_t end = each_file_box(read, at, [&](const FileBox& box) {
        boxes.push_back(box);
        return box.end() <= file.end();
    });
    return end == file.end() ? boxes : std::vector<FileBox>{};
}

std::vector<std::uint8_t> read_box(const OutputFile& file, const FileBox& box) {
    return file.read(box.at, box.end() - box.at);
}

// Its inside, which nobody has written, is a hole of the file.
void append_free(std::vector<std::uint8_t>& to, std::int64_t size) {
    std::array<std::uint8_t, box_header> head{};
    AV_WB32(head.data(), static_cast<std::uint32_t>(size));
    std::copy_n("free", 4, head.begin() + 4);
    to.insert(to.end(), head.begin(), head.end());
}

// Adds to the places of chunks in a table of them. False where one outgrows its 32 bits, or the table is not whole.
bool shift_table(std::span<std::uint8_t> table, std::size_t width, std::int64_t by) {
    constexpr std::size_t head = 8;  // version, flags, number of entries
    const std::size_t count = table.size() < head ? 0 : AV_RB32(table.data() + 4);
    if (table.size() < head || count > (table.size() - head) / width) {
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
        std::uint8_t* const at = table.data() + head + i * width;
        const std::int64_t place =
            (width == 4 ? std::int64_t{AV_RB32(at)} : static_cast<std::int64_t>(AV_RB64(at))) + by;
        if (width == 4 && place > UINT32_MAX) {
            return false;
        }
        if (width == 4) {
            AV_WB32(at, static_cast<std::uint32_t>(place));
        } else {
            AV_WB64(at, static_cast<std::uint64_t>(place));
        }
    }
    return true;
}

// The same of all tables in these boxes and those in them. False, too, where the boxes are not whole.
bool shift_chunks(std::span<std::uint8_t> bytes, std::int64_t by) {
    constexpr std::uint32_t nests[] = {mark("moov"), mark("trak"), mark("mdia"), mark("minf"), mark("stbl")};
    bool shifted = true;
    const bool whole = each_box(bytes, [&](std::uint32_t type, Bytes payload, std::size_t at) {
        const std::span<std::uint8_t> inside = bytes.subspan(at, payload.size());
        if (std::ranges::find(nests, type) != std::end(nests)) {
            shifted = shifted && shift_chunks(inside, by);
        } else if (type == mark("stco") || type == mark("co64")) {
            shifted = shifted && shift_table(inside, type == mark("stco") ? 4 : 8, by);
        }
    });
    return whole && shifted;
}

// Packets of a copied stream that are expected in so many seconds.
double expected_packets(const AVStream& stream, double seconds) {
    constexpr int aac_frame = 1024;  // samples
    const AVCodecParameters& codec = *stream.codecpar;
    if (codec.codec_type != AVMEDIA_TYPE_AUDIO || codec.sample_rate <= 0) {
        return seconds;
    }
    const int samples = codec.frame_size > 0 ? codec.frame_size : aac_frame;
    return seconds * codec.sample_rate / samples;
}

// How many packets an input can have at most, by its bytes: its duration may be told wrong.
double most_packets(const Demuxer& input) {
    constexpr double least_bytes = 8;  // of a packet, with what the container says of it
    constexpr std::int64_t piped = 16 << 20;
    std::set<AVIOContext*> all;
    for (unsigned i = 0; i < input.format().nb_streams; ++i) {
        all.insert(input.bytes_of(static_cast<int>(i)));
    }
    if (all.contains(nullptr)) {
        return std::numeric_limits<double>::infinity();  // pictures that were counted, or made as the user says
    }
    double most = 0;
    for (AVIOContext* const bytes : all) {
        const std::int64_t size = avio_size(bytes);
        most += static_cast<double>(size >= 0 ? size : piped) / least_bytes;
    }
    return most;
}

// Where the index is to stay, with what stands in front of it in the room.
void leave_index(OutputFile& file, const FileBox& type, std::int64_t room) {
    if (room <= 0) {
        return;
    }
    std::vector<std::uint8_t> front = read_box(file, type);
    append_free(front, room);
    file.put_at(0, front);
}

}  // namespace

// 4 bytes for a packet's size, 8 for its place in the order of display, and where one stream's packets do not lie
// behind each other, 8 for a chunk and 12 for how many are in it.
std::int64_t room_for_index(const Demuxer& input, const AVFormatContext& output) {
    constexpr double bytes_of_size = 4;
    constexpr double bytes_of_order = 8;
    constexpr double bytes_of_chunk = 20;
    constexpr double spare = 1.05;
    constexpr std::int64_t head = 4096;  // of the movie, and of each track
    const std::int64_t pictures = input.expected_frames(input.video_index());
    if (pictures <= 0) {
        return 0;
    }
    const double seconds = static_cast<double>(pictures) / av_q2d(input.frame_rate());
    const double most = most_packets(input);
    double bytes = 0;
    std::vector<double> packets;
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        const AVStream& stream = *output.streams[i];
        const bool video = stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
        const double count = std::min(most, video ? static_cast<double>(pictures) : expected_packets(stream, seconds));
        packets.push_back(count);
        bytes += count * (bytes_of_size + (video ? bytes_of_order : 0)) + static_cast<double>(head) +
                 stream.codecpar->extradata_size;
    }
    double all = 0;
    for (const double count : packets) {
        all += count;
    }
    for (const double count : packets) {
        bytes += bytes_of_chunk * std::min(count, all - count + 1);
    }
    const AVDictionaryEntry* tag = nullptr;
    while ((tag = av_dict_get(output.metadata, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        bytes += 64 + static_cast<double>(std::string_view(tag->key).size() + std::string_view(tag->value).size());
    }
    const AVFormatContext& from = input.format();
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        bytes += is_attached_picture(*from.streams[i]) ? from.streams[i]->attached_pic.size : 0;
    }
    bytes += 256.0 * output.nb_chapters;
    return bytes * spare < INT_MAX ? head + static_cast<std::int64_t>(bytes * spare) : 0;
}

void move_index_to_front(OutputFile& file, std::int64_t room, const std::function<bool()>& go_on,
                         const std::function<void()>& packets_move) {
    const std::vector<FileBox> boxes = read_boxes(file, room);
    if (boxes.size() < 3 || boxes.front().head.type != mark("ftyp") || boxes.back().head.type != mark("moov") ||
        boxes.back().head.size > INT_MAX) {
        if (!boxes.empty()) {
            leave_index(file, boxes.front(), room);
        }
        spdlog::debug("the index stays at the end: the file has another order of boxes than is known");
        return;
    }
    const FileBox& type = boxes.front();
    const FileBox& index = boxes.back();
    std::vector<std::uint8_t> front = read_box(file, type);
    std::vector<std::uint8_t> moov = read_box(file, index);
    const std::int64_t size = std::ssize(moov);
    // More than all the rest is what nobody wants in his file.
    const std::int64_t most_spare = std::max(usual_spare, index.end() - room);
    if (const std::int64_t spare = room - size; spare == 0 || (spare >= box_header && spare <= most_spare)) {
        front.insert(front.end(), moov.begin(), moov.end());
        if (spare > 0) {
            append_free(front, spare);
        }
        file.put_at(0, front);
        file.truncate(index.at);
        return;
    }
    // Nobody knew how long it would be.
    spdlog::debug("the index has {} bytes and not {}: the file is copied", size, room);
    const bool shifted = shift_chunks(moov, size - room);
    front.insert(front.end(), moov.begin(), moov.end());
    leave_index(file, type, room);
    if (!shifted || !file.rewrite(front, type.end(), index.at, go_on, packets_move)) {
        spdlog::info("the index stays at the end of the file: it plays only once it is loaded whole");
    }
}

}  // namespace vfilter
