#pragma once
// SEI messages of H.264 and HEVC that libavcodec keeps for pictures behind their own.

#include <cstdint>
#include <span>

#include "io/handles.h"

namespace vfilter {

/// What such a message is about: a later one of the same number takes its place. 0 for others, and for those that are
/// too short to be one.
unsigned kind_of_lasting(AVCodecID codec, unsigned type, std::span<const std::uint8_t> payload);

/// Whether messages of that kind hold until the second sequence from then on, and not until another one comes.
bool is_for_sequences(unsigned kind);

/// Film grain, alone of all, says whether it holds on.
bool is_film_grain(unsigned kind);
bool grain_persists(std::span<const std::uint8_t> payload);

}  // namespace vfilter
