#include "io/output/output_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>

#include "io/containers.h"
#include "io/demuxers.h"
#include "io/memory_input.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// What of the packets comes back as it was sent. Sound may be cut into other packets, and subtitles gain empty ones.
struct Seen {
    std::int64_t packets = 0;
    std::int64_t undated = 0;
    std::optional<double> first{};
    std::optional<double> last{};
    std::optional<double> last_decoded{};
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw Error(ExitCode::output,
                fmt::format("{}: opened again for a check, the file differs from what was sent to it: {}", path, what));
}

// How many streams of a type come before one of the sent ones, without covers, whose places differ.
std::size_t place_of(const std::vector<SentStream>& sent, std::size_t index, AVMediaType type, bool with_empty) {
    const auto count =
        std::count_if(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(index), [&](const SentStream& stream) {
            return stream.type == type && !stream.header_only && (with_empty || stream.packets > 0);
        });
    return static_cast<std::size_t>(count);
}

// Whether the file has no streams for those of which nothing was sent, as mov and mp4 do.
bool leaves_out_empty(const AVFormatContext& format, const std::vector<SentStream>& sent, AVMediaType type) {
    const std::size_t all = place_of(sent, sent.size(), type, true);
    return all > 0 && find_stream(format, type, all - 1) < 0;
}

// The stream in the file that a sent one has become: the one with its number, or the same one of its type.
int find_written(const AVFormatContext& format, const std::vector<SentStream>& sent, std::size_t index) {
    const AVMediaType type = sent[index].type;
    if (const int pid = sent[index].pid; pid != 0) {
        return find_numbered(format, type, pid);
    }
    return find_stream(format, type, place_of(sent, index, type, !leaves_out_empty(format, sent, type)));
}

std::string name_of_stream(const std::vector<SentStream>& sent, std::size_t index) {
    const char* const type = av_get_media_type_string(sent[index].type);
    return fmt::format("stream {} ({}, {})", index, type != nullptr ? type : "unknown",
                       avcodec_get_name(sent[index].codec));
}

// Streams that are not in the file, as nothing of them was sent.
std::vector<int> empty_streams(const AVFormatContext& format, const std::vector<SentStream>& sent) {
    std::vector<int> empty;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const AVMediaType type = sent[i].type;
        const bool checked = type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO;
        if (checked && !sent[i].header_only && sent[i].packets == 0 && leaves_out_empty(format, sent, type)) {
            empty.push_back(static_cast<int>(i));
        }
    }
    return empty;
}

// Nothing if it was stopped.
std::optional<std::vector<Seen>> read_packets(const std::string& path, AVFormatContext& format,
                                              const std::function<bool()>& stop) {
    std::vector<Seen> seen(format.nb_streams);
    const PacketPtr packet = make_packet();
    for (;;) {
        if (stop()) {
            return std::nullopt;
        }
        const int got = av_read_frame(&format, packet.get());
        // RoQ's reader calls every end an error: how many packets there are is compared.
        if (got == AVERROR_EOF || (got < 0 && demuxer_facts(*format.iformat).has(input_fact::failing_end))) {
            return seen;
        }
        if (got < 0) {
            fail(path, fmt::format("reading it ends with: {}", av_message(got)));
        }
        const auto index = static_cast<std::size_t>(packet->stream_index);
        seen.resize(std::max<std::size_t>(seen.size(), format.nb_streams));
        Seen& stream = seen[index];
        ++stream.packets;
        if (packet->size == 0 && format.streams[index]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO) {
            av_packet_unref(packet.get());  // what FLAC's encoder says at its end, which is no sound and has no time
            continue;
        }
        if (packet->dts != AV_NOPTS_VALUE) {
            stream.last_decoded = static_cast<double>(packet->dts) * av_q2d(format.streams[index]->time_base);
        }
        if (packet->pts != AV_NOPTS_VALUE) {
            const double at = static_cast<double>(packet->pts) * av_q2d(format.streams[index]->time_base);
            stream.first = std::min(at, stream.first.value_or(at));
            stream.last = std::max(at, stream.last.value_or(at));
        } else {
            ++stream.undated;
        }
        av_packet_unref(packet.get());
    }
}

// Null for one that is to be recognised.
const AVInputFormat* reader_of(const Container* row) {
    return row != nullptr ? av_find_input_format(std::string(row->reader).c_str()) : nullptr;
}

// Null if it cannot be opened, for a reason in `why`.
InputContextPtr open_written(const std::string& path, const Container* row, std::string& why) {
    Dictionary settings;
    settings.set("protocol_whitelist", "file");
    const std::string url = "file:" + path;
    AVFormatContext* opened = make_description().release();
    // Packets as they lie in the file: nothing is decoded, and nothing guessed.
    if (row != nullptr && !row->has(fact::unparsed)) {
        opened->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
    }
    const int result = avformat_open_input(&opened, url.c_str(), reader_of(row), settings.get());
    why = result < 0 ? av_message(result) : "";
    return InputContextPtr(result < 0 ? nullptr : opened);
}

const Container* row_of(const AVOutputFormat& container) {
    const Container& row = container_of(container);
    return row.reader.empty() ? nullptr : &row;
}

// What of the labels is not there. Some may stand in the bit stream alone, which is looked into then.
std::vector<std::string> lost_of(const std::string& path, const Labels& labels, InputContextPtr as_opened) {
    std::string why;
    if (are_in_packets(labels)) {
        InputContextPtr again = open_written(path, nullptr, why);
        if (again && avformat_find_stream_info(again.get(), nullptr) >= 0) {
            as_opened = std::move(again);
        }
    }
    return lost_labels(labels, as_opened ? *as_opened : *make_description());
}

// Whether packets are to be as many as were sent. Sound may be cut into others; of data and captions QuickTime alone
// keeps each, and words have empty ones between them.
bool counts_packets(const SentStream& sent, const Container& row) {
    switch (sent.type) {
        case AVMEDIA_TYPE_VIDEO:
            return true;
        case AVMEDIA_TYPE_AUDIO:
            return row.has(fact::same_sound) && av_get_bits_per_sample(sent.codec) == 0;
        case AVMEDIA_TYPE_SUBTITLE:
        case AVMEDIA_TYPE_DATA:
            return row.reader == "mov" && sent.codec != AV_CODEC_ID_MOV_TEXT;
        default:
            return false;
    }
}

// Whether the headers alone say it: of others a decoder has to look.
bool knows_codecs(const Container& row) {
    return row.has(fact::same_sound) || row.reader == "avi";
}

// Sound that is only counted, which a wrong count puts elsewhere. What is read may be a part of a packet or several.
void compare_length(const std::string& path, const std::string& name, const SentStream& sent, const Seen& found) {
    constexpr double heard = 0.25;  // seconds: more than any packet, and than what is between the last ones
    const double tolerance = heard + 2 * sent.packet_seconds;
    if (sent.counted && found.last_decoded && std::abs(*found.last_decoded - *sent.counted) > tolerance) {
        fail(path,
             fmt::format("the last packet of {} is at {:.3f} s of {:.3f} s", name, *found.last_decoded, *sent.counted));
    }
}

void compare(const std::string& path, const AVFormatContext& format, const Container& row,
             const std::vector<Seen>& seen, const std::vector<SentStream>& sent) {
    std::optional<double> shift;  // of all times, which some containers let begin elsewhere
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const SentStream& wanted = sent[i];
        const bool shown = wanted.type == AVMEDIA_TYPE_VIDEO || wanted.type == AVMEDIA_TYPE_AUDIO;
        const bool counts = counts_packets(wanted, row);
        if (wanted.header_only || wanted.packets == 0 || (!shown && !counts)) {
            continue;
        }
        const std::string name = name_of_stream(sent, i);
        const int index = find_written(format, sent, i);
        if (index < 0) {
            fail(path, fmt::format("{} is not in it", name));
        }
        if (shown && knows_codecs(row) && wanted.codec != AV_CODEC_ID_NONE &&
            format.streams[index]->codecpar->codec_id == AV_CODEC_ID_NONE) {
            fail(path, fmt::format("of {} it does not say what codec it is", name));
        }
        const Seen& found = seen[static_cast<std::size_t>(index)];
        // The reader of mp4 leaves out a last packet that reaches past its edit list; the table has it.
        const std::int64_t listed = row.reader == "mov" ? format.streams[index]->nb_frames : 0;
        const std::int64_t came = std::max(found.packets - (row.has(fact::pieces) ? found.undated : 0), listed);
        if (counts ? came > wanted.packets + wanted.silent || came < wanted.packets - wanted.empty
                   : found.packets == 0) {
            fail(path, fmt::format("{} has {} packets of {}", name, came, wanted.packets));
        }
        if (row.reader == "avi") {
            compare_length(path, name, wanted, found);
        }
        if (!row.has(fact::same_times) || !counts || !wanted.first || !found.first) {
            continue;
        }
        shift = shift.value_or(*found.first - *wanted.first);
        const double tolerance =
            std::max(2 * wanted.packet_seconds, 0.05) + static_cast<double>(wanted.empty) * wanted.packet_seconds;
        for (const auto& [told, at, kept] :
             {std::tuple("begins", *wanted.first, *found.first), std::tuple("ends", *wanted.last, *found.last)}) {
            // Matroska's reader tells no times before 0.
            if (std::abs(kept - *shift - at) > tolerance && (row.has(fact::pieces) || found.undated == 0)) {
                fail(path, fmt::format("{} {} at {:.3f} s instead of {:.3f} s", name, told, kept - *shift, at));
            }
        }
    }
}

}  // namespace

Absent check_written(const std::string& path, const AVOutputFormat& container, const std::vector<SentStream>& sent,
                     Labels labels, const std::function<bool()>& stop) {
    const Container* const row = row_of(container);
    std::string why;
    InputContextPtr format = open_written(path, row, why);
    if (row == nullptr) {
        return {.streams = {}, .labels = lost_of(path, labels, std::move(format))};
    }
    if (!format) {
        throw Error(ExitCode::output,
                    fmt::format("{}: what was written cannot be opened to be checked: {}", path, why));
    }
    std::optional<std::vector<Seen>> seen = read_packets(path, *format, stop);
    if (!seen) {
        return {};
    }
    seen->resize(format->nb_streams);
    compare(path, *format, *row, *seen, sent);
    Absent absent{.streams = empty_streams(*format, sent), .labels = {}};
    for (const int stream : absent.streams) {
        labels.streams[static_cast<std::size_t>(stream)].absent = true;
    }
    absent.labels = lost_of(path, labels, std::move(format));
    return absent;
}

std::vector<std::string> lost_in_pipe(std::span<const std::uint8_t> front, bool whole, const AVOutputFormat& container,
                                      const Labels& labels) {
    const Container* const row = row_of(container);
    MemoryInput bytes(front);
    const InputContextPtr format = open_memory(bytes, reader_of(row));
    const bool good = format != nullptr;
    if (good && are_in_packets(labels)) {
        avformat_find_stream_info(format.get(), nullptr);
    }
    bool reached = false;
    const PacketPtr packet = make_packet();
    while (good && av_read_frame(format.get(), packet.get()) >= 0) {
        reached = true;
        av_packet_unref(packet.get());
    }
    return reached || (row == nullptr && (whole || !good)) ? lost_labels(labels, good ? *format : *make_description())
                                                           : std::vector<std::string>{};
}

}  // namespace vfilter
