#pragma once
// SEI messages of H.264 and HEVC that libavcodec also applies to later pictures.

#include <cstdint>
#include <span>

#include "io/handles.h"

namespace vfilter {

/// A number for the subject of such a message: a later message with the same number replaces it. 0 for others, and for
/// those that are too short.
unsigned kind_of_lasting(AVCodecID codec, unsigned type, std::span<const std::uint8_t> payload);

/// Whether messages of that kind apply until the second sequence from then on, rather than until another one follows.
bool is_for_sequences(unsigned kind);

/// Film grain is the only kind that says whether it persists.
bool is_film_grain(unsigned kind);
bool grain_persists(std::span<const std::uint8_t> payload);

}  // namespace vfilter
