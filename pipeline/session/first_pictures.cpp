#include "pipeline/session/first_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "config/error.h"
#include "io/codec/beside_pictures.h"
#include "io/codec/successive_decoders.h"
#include "io/demuxers.h"
#include "io/formats/frame_pool.h"
#include "io/input/layers/known_streams.h"
#include "io/packet_times.h"
#include "io/source.h"

namespace vfilter {

namespace {

// Packets that may be read ahead to find the first picture: nothing that plays needs more.
constexpr std::size_t max_packets = 5000;
// And for sound, once the pictures are there.
constexpr std::size_t max_sound_packets = 500;

struct Probe {
    int stream;
    std::unique_ptr<FrameSource> decoder;
    bool encrypted = false;  // some of it
    FirstPictures found{};
};

bool has_parser(AVCodecID codec) {
    AVCodecParserContext* const parser = av_parser_init(codec);
    av_parser_close(parser);
    return parser != nullptr;
}

std::string why_no_picture(const Demuxer& demuxer, const Probe& probe) {
    if (probe.encrypted) {
        return "the video is encrypted, and cannot be read without its key" + demuxer.way_to_decrypt(probe.stream);
    }
    if (is_scrambled(demuxer.unread(), probe.stream)) {
        return "the video is scrambled, as its packets say, and cannot be read so";
    }
    const AVIOContext* const bytes = demuxer.format().pb;  // devices have none
    const bool pipe = bytes != nullptr && (bytes->seekable & AVIO_SEEKABLE_NORMAL) == 0;
    const DemuxerFacts& facts = demuxer_facts(*demuxer.format().iformat);
    if (pipe && facts.has(input_fact::movie)) {
        return fmt::format(
            "no picture of the video can be decoded: an mp4 whose index stands at its end cannot be read {}",
            source_of(demuxer.format().url).network() ? "from a server that gives no parts of a file: download it first"
                                                      : "from a pipe");
    }
    const AVCodecID codec = demuxer.format().streams[probe.stream]->codecpar->codec_id;
    if (pipe && facts.has(input_fact::pictures) && !has_parser(codec)) {
        return fmt::format(
            "no picture of the video can be decoded: FFmpeg finds the end of pictures in {} in files "
            "alone, and not in a pipe",
            avcodec_get_name(codec));
    }
    const std::string own = probe.decoder->complaint();
    const std::string complaint = own.empty() ? demuxer.complaint() : own;
    if (complaint.find("max pixel") != std::string::npos) {
        return fmt::format("a picture is larger than {:.4g} Mpixel, the limit, which --max-pixels raises",
                           1e-6 * static_cast<double>(demuxer.max_pixels()));
    }
    const bool animation =
        complaint == "image data not found" && demuxer.video().codecpar->codec_id == AV_CODEC_ID_WEBP;
    return fmt::format("no picture of the video can be decoded{}{}{}", complaint.empty() ? "" : ": ", complaint,
                       animation                       ? "; animations in WebP are not read by this FFmpeg"
                       : demuxer.has_key(probe.stream) ? "; the key may be a wrong one"
                                                       : "");
}

// Sound whose configuration is in its packets needs one of them for the header. Of what nothing is known at all there
// will be no packet.
std::set<int> sound_without_configuration(const AVFormatContext& input) {
    std::set<int> streams;
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        const AVCodecParameters& codec = *input.streams[i]->codecpar;
        if (codec.codec_id == AV_CODEC_ID_AAC && codec.extradata_size == 0 && !lacks_parameters(codec)) {
            streams.insert(static_cast<int>(i));
        }
    }
    return streams;
}

// What a picture tells, without its samples: the pool's end is near. The size comes first: FFmpeg takes no pan-scan of
// a picture of another one.
FramePtr facts_of(const AVFrame& picture) {
    FramePtr facts = make_frame();
    facts->format = picture.format;
    facts->width = picture.width;
    facts->height = picture.height;
    av_check(av_frame_copy_props(facts.get(), &picture), "av_frame_copy_props");
    return facts;
}

// Gives a packet to a probe's decoder, null for the end, and takes what comes of it.
void decode(Probe& probe, const AVPacket* packet, const Demuxer& demuxer, std::size_t wanted) {
    const AVRational time_base = demuxer.format().streams[probe.stream]->time_base;
    probe.decoder->send(packet);
    FirstPictures& found = probe.found;
    while (FramePtr picture = probe.decoder->receive()) {
        if (!found.first) {
            found.first = facts_of(*picture);
        }
        const bool begun = !demuxer.part().start || microseconds(picture->pts, time_base) >= *demuxer.part().start;
        if (begun && found.whole.size() < wanted) {
            found.whole.push_back(std::move(picture));
        }
    }
}

}  // namespace

std::vector<FirstPictures> probe_first_pictures(Demuxer& demuxer, std::size_t wanted) {
    FramePool pool(allocate_picture);
    std::vector<Probe> probes;
    for (const int stream : demuxer.videos()) {
        probes.push_back({stream, make_decoder(demuxer, stream, pool, 1, false)});
    }
    const auto is_there = [&](const Probe& probe) { return probe.found.first && probe.found.whole.size() >= wanted; };
    const auto all_there = [&] { return std::ranges::all_of(probes, is_there); };
    std::deque<PacketPtr> read;
    std::set<int> bare_sound = sound_without_configuration(demuxer.format());
    bool more = true;
    while ((!all_there() || (!bare_sound.empty() && read.size() < max_sound_packets)) && more &&
           read.size() < max_packets) {
        PacketPtr packet = demuxer.read();
        more = packet != nullptr;
        if (more) {
            bare_sound.erase(packet->stream_index);
        }
        for (Probe& probe : probes) {
            const bool own = more && packet->stream_index == probe.stream;
            if (own && demuxer.is_encrypted(*packet)) {
                probe.encrypted = true;
            } else if (!is_there(probe) && (!more || own)) {
                decode(probe, packet.get(), demuxer, wanted);
            }
        }
        if (more) {
            read.push_back(std::move(packet));
        }
    }
    for (const Probe& probe : probes) {
        BesidePictures beside(*demuxer.format().streams[probe.stream]);
        for (const PacketPtr& packet : read) {
            if (packet->stream_index == probe.stream && !demuxer.is_encrypted(*packet)) {
                beside.look(*packet);
            }
        }
    }
    const bool gave_up = more && read.size() >= max_packets;
    demuxer.unread(std::move(read));
    std::vector<FirstPictures> all;
    for (Probe& probe : probes) {
        if (!probe.found.first) {
            throw Error(ExitCode::input,
                        why_no_picture(demuxer, probe) +
                            (gave_up ? fmt::format(", of the first {} packets, which is the limit", max_packets) : ""));
        }
        all.push_back(std::move(probe.found));
    }
    return all;
}

}  // namespace vfilter
