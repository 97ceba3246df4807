#pragma once
// What BMP, PSD and JPEG 2000 say of a picture beside its samples, of which FFmpeg's decoders read nothing.

#include <cstdint>
#include <string>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/formats/picture_density.h"

namespace vfilter {

struct PictureSays {
    std::uint64_t orientation = 1;  // EXIF's
    std::vector<std::string> texts{};
    Density density{};
    Bytes profile{};  // ICC.1, within the file; where decoders give it by themselves it is not looked for

    void add(std::string name);
};

void read_bmp(Bytes file, PictureSays& says);
void read_psd(Bytes file, PictureSays& says);
/// In its boxes (ISO/IEC 15444-1, annex I); a bare codestream has none.
void read_jpeg_2000(Bytes file, PictureSays& says);

}  // namespace vfilter
