#pragma once
// Colour profiles and texts of PNG, which its decoder inflates to any length.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/bitstream/bytes.h"
#include "io/handles.h"

namespace vfilter {

/// Why a picture must not be decoded: the chunks that are inflated as a whole (iCCP, zTXt, iTXt) would exceed 64 MiB.
/// "" if they do not, or if it is not a PNG. Needs a few kilobytes, whatever the picture's size.
std::string excess_of_png(const ReadBytes& read);
/// The same for a picture in memory.
std::string excess_of_png(std::span<const std::uint8_t> picture);

bool is_png(const AVStream& stream);

/// While it exists and a stream is PNG, libavutil allocates no more than 512 MiB at a time, because FFmpeg decodes
/// first pictures before anybody else has seen them. A file that is itself a PNG may have been `seen` already, and its
/// picture may then be larger.
class PngLimit {
public:
    PngLimit(const AVFormatContext& format, bool seen);
    ~PngLimit();
    PngLimit(const PngLimit&) = delete;
    PngLimit& operator=(const PngLimit&) = delete;

private:
    bool limits_;
};

}  // namespace vfilter
