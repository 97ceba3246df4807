#pragma once
// What encoders write about themselves into their bit stream: x264 and x265 put their name and all of their settings
// into user data messages (SEI of payload type 5).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// Whether a codec's bit stream may hold such messages.
bool may_hold_notes(AVCodecID codec);

/// How NAL units are separated.
struct NalForm {
    AVCodecID codec = AV_CODEC_ID_NONE;
    std::size_t length_size = 0;  ///< nal_length_size()
};
/// The form used by the stream's packets.
NalForm nal_form(const AVCodecParameters& codec);

/// The bit stream without such messages; empty if there are none, so that nothing has to be changed.
std::vector<std::uint8_t> without_notes(NalForm form, std::span<const std::uint8_t> bytes);

/// Removes such messages from a packet. Throws std::bad_alloc.
void remove_notes(NalForm form, AVPacket& packet);
/// Removes them from the headers of an opened encoder.
void remove_notes(AVCodecContext& encoder);

}  // namespace vfilter
