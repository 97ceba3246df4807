#pragma once
// What BMP, PSD and JPEG 2000 say about a picture besides its samples, none of which FFmpeg's decoders read.

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/formats/picture_density.h"

namespace vfilter {

struct PictureSays {
    std::uint64_t orientation = 1;              // EXIF's
    std::vector<std::string> texts{};           // the first names; a file may have any number
    std::unordered_set<std::size_t> further{};  // hashes of the others, which are counted
    Density density{};
    Bytes profile{};  // ICC.1, within the file; not searched for if decoders provide it

    void add(std::string name);
};

void read_bmp(Bytes file, PictureSays& says);
void read_psd(Bytes file, PictureSays& says);
/// From its boxes (ISO/IEC 15444-1, annex I); a bare codestream has none.
void read_jpeg_2000(Bytes file, PictureSays& says);

}  // namespace vfilter
