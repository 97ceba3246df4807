#pragma once
// Colour profiles and texts of PNG, which its decoder inflates to whatever length they have.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/bitstream/bytes.h"
#include "io/handles.h"

namespace vfilter {

/// Why a picture is not to be decoded: the chunks that are inflated whole (iCCP, zTXt, iTXt) have more than 64 MiB
/// then.
/// "" if they have not, or it is no PNG. Needs some kilobytes, whatever the picture's size.
std::string excess_of_png(const ReadBytes& read);
/// The same of a picture in memory.
std::string excess_of_png(std::span<const std::uint8_t> picture);

bool is_png(const AVStream& stream);

/// While it lives, and a stream is PNG, libavutil gives no more than 512 MiB at a time: FFmpeg decodes first pictures
/// before anybody else has seen them. A file that is a PNG by itself may have been `seen`, and its picture be larger.
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
