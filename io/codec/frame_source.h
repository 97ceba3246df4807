#pragma once
// Packets in, pictures out: the common interface of the CPU's decoder and hardware.

#include <cstdint>
#include <functional>
#include <string>

#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// Where pictures were decoded, for the report.
struct DecodeFacts {
    std::int64_t hardware = 0;  ///< pictures that hardware decoded; the CPU decoded all others
    std::int64_t resident = 0;  ///< of those: pictures that were passed on in the device's memory
    std::int64_t beside = 0;    ///< pictures that CPU threads decoded alongside hardware
    int sessions = 0;           ///< hardware sessions that were created
    std::int64_t ranges = 0;    ///< into which the packets were divided, 0 if they were not
    std::int64_t on_cpu = 0;    ///< ranges that the CPU decoded because hardware failed or could not begin
    std::string why_on_cpu{};   ///< for the first of them, "" if there was none
};

/// Whether a picture is in a device's memory, where the host cannot read it.
inline bool is_on_device(const AVFrame& picture) {
    return picture.format == AV_PIX_FMT_CUDA;
}

/// Decodes one video stream, in display order. One thread.
class FrameSource {
public:
    virtual ~FrameSource() = default;

    /// Sends a packet, null for the end. After each call, take every picture with receive().
    virtual void send(const AVPacket* packet) = 0;
    /// The next picture, or null when another packet is needed or all are out. pts are in the stream's time base,
    /// strictly increasing, and guessed if the input has none; the duration is 0 if unknown. The format is not a J
    /// format. A picture of AV_PIX_FMT_CUDA is on a device: see DecodeDevice.
    virtual FramePtr receive() = 0;
    /// Is told whether decoding has made progress since the last call; false ends the wait for a picture.
    using Look = std::function<bool(bool gets_on)>;
    /// Decoding again after damage may take seconds, during which receive() returns nothing: `look` is called before
    /// each packet, or a few times a second if other threads decode, and receive() returns null if it says false.
    virtual void look_on(const Look& look) = 0;

    /// The last error that the decoder has logged, "" if there was none.
    [[nodiscard]] virtual std::string complaint() const = 0;
    /// Complete only when receive() has returned everything after the end of the input.
    [[nodiscard]] virtual Damage damage() const = 0;
    /// After the end.
    [[nodiscard]] virtual DecodeFacts facts() const { return {}; }
    /// Whether it takes packets long before it outputs their pictures: other streams then have to wait for it.
    [[nodiscard]] virtual bool reads_ahead() const { return false; }
    /// How many of the packets that were sent have become pictures, which determines how far other streams may go on.
    [[nodiscard]] virtual std::int64_t passed() const { return 0; }
};

}  // namespace vfilter
