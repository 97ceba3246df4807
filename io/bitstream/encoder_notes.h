#pragma once
// What encoders write into their bit stream about themselves: x264 and x265 put their name and all of their settings
// into messages of user data (SEI of payload type 5).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// Whether a codec's bit stream may hold such messages.
bool may_hold_notes(AVCodecID codec);

/// How NAL units are told from each other.
struct NalForm {
    AVCodecID codec = AV_CODEC_ID_NONE;
    std::size_t length_size = 0;  ///< nal_length_size()
};
/// As the stream's packets have them.
NalForm nal_form(const AVCodecParameters& codec);

/// The bit stream without such messages; empty where there are none, so that nothing has to be changed.
std::vector<std::uint8_t> without_notes(NalForm form, std::span<const std::uint8_t> bytes);

/// Takes such messages out of a packet. Throws std::bad_alloc.
void remove_notes(NalForm form, AVPacket& packet);
/// Takes them out of the headers of an encoder that was opened.
void remove_notes(AVCodecContext& encoder);

}  // namespace vfilter
