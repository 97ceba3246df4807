#pragma once
// Which encoder to use for sound that is not copied, and of what kind.

#include <string>

#include "config/io_options.h"
#include "io/formats/sound_format.h"
#include "io/handles.h"

namespace vfilter {

/// The audio encoder that the user names, by its own name, its codec's or a common one. `pcm` is as deep as the sound,
/// if the container accepts that. Throws Error(encoder).
const AVCodec& named_sound_encoder(const std::string& name, const AVOutputFormat& container,
                                   const AVCodecParameters& sound);
/// The best encoder for sound that the container cannot hold unchanged: the first that keeps its channels, and, for
/// lossless sound, a lossless one if available, unless it is to be `compressed` in any case. Null if this FFmpeg has
/// none that makes what the container can hold, or if the sound cannot be decoded.
const AVCodec* usual_sound_encoder(const AVOutputFormat& container, const AVCodecParameters& sound,
                                   bool compressed = false);
/// The encoder of the sound's own codec, which the container holds, if there is a good one; otherwise the usual one.
const AVCodec* same_sound_encoder(const AVOutputFormat& container, const AVCodecParameters& sound);
/// Throws Error(output) if the container cannot hold what the encoder outputs.
void check_sound_encoder(const AVOutputFormat& container, const AVCodec& encoder);
/// Whether nothing of the sound is lost by the codec.
bool is_lossless_sound(AVCodecID codec);

/// What the encoder loses of lossless sound, as text to follow its name: ", with loss: 24 bits of 32". Empty if it
/// loses nothing.
std::string loss_of(const AVCodecParameters& sound, const AVCodec& encoder);
/// How many bits of a sample a lossless encoder keeps at most.
int lossless_bits(const AVCodec& encoder);

/// The nearest form that the encoder and the container accept.
SoundFormat nearest_taken(const AVOutputFormat& container, const AVCodec& encoder, const SoundFormat& given);
/// Bits per second for an encoder without a default of its own; 0 for codecs that use what they need.
std::int64_t usual_bitrate(const AVCodec& encoder, int channels);

}  // namespace vfilter
