#pragma once
// Packets in, pictures out: the one interface behind which the CPU's decoder and hardware stand.

#include <cstdint>
#include <functional>
#include <string>

#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// Where pictures were decoded, for the report.
struct DecodeFacts {
    std::int64_t hardware = 0;  ///< pictures that hardware decoded; all others are the CPU's
    std::int64_t resident = 0;  ///< of those: pictures that were handed on in the device's memory
    std::int64_t beside = 0;    ///< pictures that the CPU's threads decoded beside hardware
    int sessions = 0;           ///< of hardware that were made
    std::int64_t ranges = 0;    ///< that the packets were cut into, 0 where they were not
    std::int64_t on_cpu = 0;    ///< ranges that the CPU decoded, as hardware failed or could not begin
    std::string why_on_cpu{};   ///< the first of them, "" where there was none
};

/// Whether a picture lies in a device's memory, where the host cannot read it.
inline bool is_on_device(const AVFrame& picture) {
    return picture.format == AV_PIX_FMT_CUDA;
}

/// Decodes one video stream, in the order of time. One thread.
class FrameSource {
public:
    virtual ~FrameSource() = default;

    /// Gives a packet, null for the end. After each call, take every picture with receive().
    virtual void send(const AVPacket* packet) = 0;
    /// The next picture, or null when another packet is needed or all are out. pts are in the stream's time base,
    /// strictly rising, guessed where the input has none; the duration is 0 if unknown. The format has no J. A picture
    /// of AV_PIX_FMT_CUDA lies on a device: see DecodeDevice.
    virtual FramePtr receive() = 0;
    /// Is told whether decoding has got on since it was last asked; false ends the waiting for a picture.
    using Look = std::function<bool(bool gets_on)>;
    /// Decoding again after damage may take seconds, in which receive() gives nothing: `look` is called before each
    /// packet, or a few times a second where other threads decode, and receive() gives null if it says false.
    virtual void look_on(const Look& look) = 0;

    /// The last error that the decoder has logged, "" if there was none.
    [[nodiscard]] virtual std::string complaint() const = 0;
    /// All of it only when receive() has given everything after the end of the input.
    [[nodiscard]] virtual Damage damage() const = 0;
    /// After the end.
    [[nodiscard]] virtual DecodeFacts facts() const { return {}; }
    /// Whether it takes packets long before it gives their pictures: other streams have to wait for it then.
    [[nodiscard]] virtual bool reads_ahead() const { return false; }
    /// How many of the packets that were sent have become pictures, as far as other streams are to go on.
    [[nodiscard]] virtual std::int64_t passed() const { return 0; }
};

}  // namespace vfilter
