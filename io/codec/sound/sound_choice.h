#pragma once
// Which encoder makes sound that is not copied, and of what kind.

#include <string>

#include "config/io_options.h"
#include "io/formats/sound_format.h"
#include "io/handles.h"

namespace vfilter {

/// The encoder of sound that the user names, by its own name, its codec's or a common one. `pcm` is as deep as the
/// sound, where the container takes it. Throws Error(encoder).
const AVCodec& named_sound_encoder(const std::string& name, const AVOutputFormat& container,
                                   const AVCodecParameters& sound);
/// The best encoder for sound that the container cannot hold as it is: the first that keeps its channels, and a
/// lossless one for lossless sound where there is one, unless it is to be `compressed` in any case. Null if none of
/// this FFmpeg's makes what the container can hold, or the sound cannot be decoded.
const AVCodec* usual_sound_encoder(const AVOutputFormat& container, const AVCodecParameters& sound,
                                   bool compressed = false);
/// The encoder of the sound's own codec, which the container holds, where there is a good one; else the usual one.
const AVCodec* same_sound_encoder(const AVOutputFormat& container, const AVCodecParameters& sound);
/// Throws Error(output) if the container cannot hold what the encoder makes.
void check_sound_encoder(const AVOutputFormat& container, const AVCodec& encoder);
/// Whether nothing of the sound is lost by the codec.
bool is_lossless_sound(AVCodecID codec);

/// What of sound without loss the encoder loses, to be put behind its name: ", with loss: 24 bits of 32". Empty where
/// nothing is.
std::string loss_of(const AVCodecParameters& sound, const AVCodec& encoder);
/// How many bits of a sample an encoder without loss keeps at most.
int lossless_bits(const AVCodec& encoder);

/// The nearest one that the encoder and the container take.
SoundFormat nearest_taken(const AVOutputFormat& container, const AVCodec& encoder, const SoundFormat& given);
/// Bits per second for one that says nothing of its own; 0 for codecs that take what they need.
std::int64_t usual_bitrate(const AVCodec& encoder, int channels);

}  // namespace vfilter
