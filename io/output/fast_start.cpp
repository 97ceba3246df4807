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
#include <string>
#include <string_view>
#include <vector>

#include "io/output/container_rules.h"

namespace vfilter {

namespace {

constexpr std::int64_t box_header = 8;  // of a box: size and type
constexpr std::int64_t usual_spare = 64 << 10;
constexpr std::int64_t large_box_header = 16;  // with a size of 64 bits

struct Box {
    std::int64_t offset = 0;
    std::int64_t size = 0;
    std::string type;

    [[nodiscard]] std::int64_t end() const { return offset + size; }
};

// The boxes of a file from `at` on. Nothing where they do not tile it.
std::vector<Box> read_boxes(const OutputFile& file, std::int64_t at) {
    std::vector<Box> boxes;
    while (at < file.end()) {
        const std::int64_t there = std::min(large_box_header, file.end() - at);
        const std::vector<std::uint8_t> head = file.read(at, there);
        if (there < box_header) {
            return {};
        }
        std::int64_t size = AV_RB32(head.data());
        if (size == 1 && there == large_box_header) {
            size = static_cast<std::int64_t>(AV_RB64(head.data() + box_header));
        }
        if (size < box_header || size > file.end() - at) {
            return {};
        }
        boxes.push_back({at, size, std::string(head.begin() + 4, head.begin() + box_header)});
        at += size;
    }
    return boxes;
}

// Its inside, which nobody has written, is a hole of the file.
void append_free(std::vector<std::uint8_t>& to, std::int64_t size) {
    std::array<std::uint8_t, box_header> head{};
    AV_WB32(head.data(), static_cast<std::uint32_t>(size));
    std::copy_n("free", 4, head.begin() + 4);
    to.insert(to.end(), head.begin(), head.end());
}

// Adds to the places of all chunks in a box and those in it. False where one outgrows its 32 bits, or the boxes are not
// whole.
bool shift_chunks(std::span<std::uint8_t> bytes, std::int64_t by) {
    constexpr std::size_t head = 8;
    constexpr std::size_t table_head = 8;  // version, flags, number of entries
    constexpr std::string_view nests[] = {"moov", "trak", "mdia", "minf", "stbl"};
    while (bytes.size() >= head) {
        const std::size_t size = AV_RB32(bytes.data());
        if (size < head || size > bytes.size()) {
            return false;
        }
        const std::string_view type(reinterpret_cast<const char*>(bytes.data()) + 4, 4);
        std::span<std::uint8_t> inside = bytes.subspan(head, size - head);
        if (std::ranges::find(nests, type) != std::end(nests)) {
            if (!shift_chunks(inside, by)) {
                return false;
            }
        } else if (type == "stco" || type == "co64") {
            const std::size_t width = type == "stco" ? 4 : 8;
            const std::size_t count = inside.size() < table_head ? 0 : AV_RB32(inside.data() + 4);
            if (inside.size() < table_head || count > (inside.size() - table_head) / width) {
                return false;
            }
            for (std::size_t i = 0; i < count; ++i) {
                std::uint8_t* const at = inside.data() + table_head + i * width;
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
        }
        bytes = bytes.subspan(size);
    }
    return bytes.empty();
}

// Packets of a copied stream that are expected in so many seconds.
double expected_packets(const AVStream& stream, double seconds) {
    constexpr int usual_frame = 1024;  // samples, of AAC
    const AVCodecParameters& codec = *stream.codecpar;
    if (codec.codec_type != AVMEDIA_TYPE_AUDIO || codec.sample_rate <= 0) {
        return seconds;
    }
    const int samples = codec.frame_size > 0 ? codec.frame_size : usual_frame;
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
void leave_index(OutputFile& file, const Box& type, std::int64_t room) {
    if (room <= 0) {
        return;
    }
    std::vector<std::uint8_t> front = file.read(type.offset, type.size);
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

void move_index_to_front(OutputFile& file, std::int64_t room, const std::function<bool()>& go_on) {
    const std::vector<Box> boxes = read_boxes(file, room);
    if (boxes.size() < 3 || boxes.front().type != "ftyp" || boxes.back().type != "moov" ||
        boxes.back().size > INT_MAX) {
        if (!boxes.empty()) {
            leave_index(file, boxes.front(), room);
        }
        spdlog::debug("the index stays at the end: the file has another order of boxes than is known");
        return;
    }
    const Box& type = boxes.front();
    const Box& index = boxes.back();
    std::vector<std::uint8_t> front = file.read(type.offset, type.size);
    std::vector<std::uint8_t> moov = file.read(index.offset, index.size);
    // More than all the rest is what nobody wants in his file.
    const std::int64_t most_spare = std::max(usual_spare, index.end() - room);
    if (const std::int64_t spare = room - index.size; spare == 0 || (spare >= box_header && spare <= most_spare)) {
        front.insert(front.end(), moov.begin(), moov.end());
        if (spare > 0) {
            append_free(front, spare);
        }
        file.put_at(0, front);
        file.truncate(index.offset);
        return;
    }
    // Nobody knew how long it would be.
    spdlog::debug("the index has {} bytes and not {}: the file is copied", index.size, room);
    const bool shifted = shift_chunks(moov, index.size - room);
    front.insert(front.end(), moov.begin(), moov.end());
    if (!shifted || !file.rewrite(front, type.end(), index.offset, go_on)) {
        leave_index(file, type, room);
        spdlog::info("the index stays at the end of the file: it plays only once it is loaded whole");
    }
}

}  // namespace vfilter
