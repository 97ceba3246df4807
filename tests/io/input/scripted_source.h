#pragma once
// An input whose packets a test writes down.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "config/io_options.h"
#include "io/input/packet_source.h"
#include "io/input/stream_watch.h"

namespace vfilter::testing {

struct ScriptedStream {
    AVMediaType type = AVMEDIA_TYPE_VIDEO;
    AVCodecID codec = AV_CODEC_ID_H264;
    AVRational time_base{1, 1000};
};

struct ScriptedPacket {
    int stream = 0;
    std::int64_t dts = 0;  ///< and pts, in the stream's clock
    std::int64_t duration = 40;
    int flags = 0;
};

/// To which every stream of these kinds matters.
inline std::shared_ptr<StreamWatch> settled_watch(unsigned kinds = kind::all, bool strict = false) {
    auto watch = std::make_shared<StreamWatch>(kinds, strict, false);
    watch->settle({});
    return watch;
}

inline DescriptionPtr make_streams(const std::vector<ScriptedStream>& streams, const char* container = "mpegts") {
    DescriptionPtr format(avformat_alloc_context());
    format->iformat = av_find_input_format(container);
    for (const ScriptedStream& row : streams) {
        AVStream* const stream = avformat_new_stream(format.get(), nullptr);
        stream->codecpar->codec_type = row.type;
        stream->codecpar->codec_id = row.codec;
        stream->time_base = row.time_base;
    }
    return format;
}

inline PacketPtr make_packet(const ScriptedPacket& row) {
    PacketPtr packet = vfilter::make_packet();
    packet->stream_index = row.stream;
    packet->dts = packet->pts = row.dts;
    packet->duration = row.duration;
    packet->flags = row.flags;
    return packet;
}

/// Gives its packets, then `end`. A seek begins anew.
class ScriptedSource final : public PacketSource {
public:
    explicit ScriptedSource(std::vector<ScriptedPacket> packets, const std::vector<ScriptedStream>& streams = {{}},
                            int end = AVERROR_EOF, const char* container = "mpegts")
        : format_(make_streams(streams, container)), packets_(std::move(packets)), end_(end) {}

    [[nodiscard]] const AVFormatContext& format() const override { return *format_; }
    int read(AVPacket& packet) override {
        if (next_ == packets_.size()) {
            return end_;
        }
        av_packet_move_ref(&packet, make_packet(packets_[next_++]).get());
        return 0;
    }
    int seek(int /*stream*/, std::int64_t /*latest*/, int /*flags*/) override {
        next_ = 0;
        return 0;
    }
    [[nodiscard]] const Complaints* complaints() const override { return &complaints_; }
    const ContainerScan* scan() override { return nullptr; }
    [[nodiscard]] std::int64_t joints() const override { return joints_; }
    void set_joints(std::int64_t joints) { joints_ = joints; }

private:
    std::int64_t joints_ = 0;
    DescriptionPtr format_;
    std::vector<ScriptedPacket> packets_;
    int end_;
    std::size_t next_ = 0;
    Complaints complaints_;
};

inline std::unique_ptr<PacketSource> scripted(std::vector<ScriptedPacket> packets,
                                              const std::vector<ScriptedStream>& streams = {{}}, int end = AVERROR_EOF,
                                              const char* container = "mpegts") {
    return std::make_unique<ScriptedSource>(std::move(packets), streams, end, container);
}

struct Given {
    int stream = 0;
    std::int64_t dts = 0;
    bool operator==(const Given&) const = default;
};

/// What is read up to the first error.
inline std::vector<Given> read_all(PacketSource& source) {
    std::vector<Given> given;
    for (PacketPtr packet = vfilter::make_packet(); source.read(*packet) >= 0; av_packet_unref(packet.get())) {
        given.push_back({packet->stream_index, packet->dts});
    }
    return given;
}

inline std::vector<std::int64_t> times_of(const std::vector<Given>& given, int stream = 0) {
    std::vector<std::int64_t> times;
    for (const Given& packet : given) {
        if (packet.stream == stream) {
            times.push_back(packet.dts);
        }
    }
    return times;
}

}  // namespace vfilter::testing
