#pragma once
// Where packets come from: an opened input, and the layers over it, each of which changes one thing and owns what it
// needs for that.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/evidence/container_scan.h"
#include "io/log/complaints.h"

namespace vfilter {

/// One thread at a time.
class PacketSource {
public:
    PacketSource() = default;
    virtual ~PacketSource() = default;
    PacketSource(const PacketSource&) = delete;
    PacketSource& operator=(const PacketSource&) = delete;

    /// The streams, numbered as by read(), with the time bases of its packets.
    [[nodiscard]] virtual const AVFormatContext& format() const = 0;
    /// Reads the next packet into an empty one. Returns 0 or an FFmpeg error: AVERROR_EOF, AVERROR(ETIMEDOUT) if
    /// nothing arrived for the time that the options allow, AVERROR_EXIT if it was interrupted. Throws Error(damaged)
    /// with --strict.
    virtual int read(AVPacket& packet) = 0;
    /// Continues at the last position that is not after `latest`; stream, its time base and flags as for
    /// avformat_seek_file(). Returns a negative FFmpeg error if the input cannot do that.
    virtual int seek(int stream, std::int64_t latest, int flags) = 0;
    /// What the demuxer logs; null while no input is open.
    [[nodiscard]] virtual const Complaints* complaints() const = 0;
    /// After the end: the container's own structure, read to its end; null if it provides no information, or if not all
    /// of it was seen.
    virtual const ContainerScan* scan() = 0;
    /// The number of places at which the part of the container read so far contradicts itself; empty if that is not
    /// checked.
    [[nodiscard]] virtual std::optional<std::int64_t> faults_so_far() const { return std::nullopt; }
    /// What it has found to be missing or wrong by itself since the last call.
    virtual Damage take_damage() { return {}; }
    /// What is missing wherever it is read from, as was found when it was opened.
    [[nodiscard]] virtual Damage lasting_damage() const { return {}; }
    /// The number of places that it names at which its clock may restart (a playlist's discontinuities).
    [[nodiscard]] virtual std::int64_t joints() const { return 0; }
    /// The number of its parts that were missing so far, each of which its clock may step over.
    [[nodiscard]] virtual std::int64_t holes() const { return 0; }
    /// For an animation, once its first picture was read: how often it is played, 0 for ever.
    [[nodiscard]] virtual std::optional<std::int64_t> plays() const { return std::nullopt; }
    /// After the end, with InputRequest::sha256: 64 hexadecimal digits for all bytes of the input, for which the rest
    /// of a file is read until `stop` is true; "" if they are not available.
    virtual std::string sha256(const std::function<bool()>& /*stop*/) { return ""; }
};

/// A source over another one, to which it delegates everything that is not overridden.
class PacketLayer : public PacketSource {
public:
    explicit PacketLayer(std::unique_ptr<PacketSource> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] const AVFormatContext& format() const override { return inner_->format(); }
    int read(AVPacket& packet) override { return inner_->read(packet); }
    int seek(int stream, std::int64_t latest, int flags) override { return inner_->seek(stream, latest, flags); }
    [[nodiscard]] const Complaints* complaints() const override { return inner_->complaints(); }
    const ContainerScan* scan() override { return inner_->scan(); }
    [[nodiscard]] std::optional<std::int64_t> faults_so_far() const override { return inner_->faults_so_far(); }
    Damage take_damage() override { return inner_->take_damage(); }
    [[nodiscard]] Damage lasting_damage() const override { return inner_->lasting_damage(); }
    [[nodiscard]] std::int64_t joints() const override { return inner_->joints(); }
    [[nodiscard]] std::int64_t holes() const override { return inner_->holes(); }
    [[nodiscard]] std::optional<std::int64_t> plays() const override { return inner_->plays(); }
    std::string sha256(const std::function<bool()>& stop) override { return inner_->sha256(stop); }

protected:
    [[nodiscard]] PacketSource& inner() { return *inner_; }

private:
    std::unique_ptr<PacketSource> inner_;
};

/// Adds a layer over the source.
template <class Layer, class... Arguments>
Layer* lay(std::unique_ptr<PacketSource>& source, Arguments&&... arguments) {
    auto layer = std::make_unique<Layer>(std::move(source), std::forward<Arguments>(arguments)...);
    Layer* const laid = layer.get();
    source = std::move(layer);
    return laid;
}

}  // namespace vfilter
