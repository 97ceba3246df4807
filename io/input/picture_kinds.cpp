#include "io/input/picture_kinds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>

#include "config/letters.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;

struct Signature {
    std::string_view kind;
    std::size_t offset;
    std::string_view bytes;
};
constexpr Signature picture_signatures[] = {
    {"PNG", 0, "\x89PNG\r\n\x1a\n"sv},
    {"JPEG", 0, "\xff\xd8\xff"sv},
    {"GIF", 0, "GIF8"sv},
    {"WebP", 8, "WEBP"sv},
    {"TIFF", 0, "II*\0"sv},
    {"TIFF", 0, "MM\0*"sv},
    {"BMP", 0, "BM"sv},
    {"DPX", 0, "SDPX"sv},
    {"DPX", 0, "XPDS"sv},
    {"OpenEXR", 0, "\x76\x2f\x31\x01"sv},
    {"PSD", 0, "8BPS"sv},
    {"Radiance", 0, "#?RADIANCE"sv},
    {"QOI", 0, "qoif"sv},
    {"JPEG 2000", 4, "jP  \r\n"sv},
    {"JPEG 2000", 0, "\xff\x4f\xff\x51"sv},
    {"AVIF", 4, "ftypavif"sv},
    {"JPEG XL", 0, "\xff\x0a"sv},
    {"JPEG XL", 4, "JXL \r\n"sv},
    {"PPM", 0, "P6"sv},
    {"PGM", 0, "P5"sv},
    {"PBM", 0, "P4"sv},
    {"PAM", 0, "P7"sv},
    {"SGI", 0, "\x01\xda"sv},
    {"FITS", 0, "SIMPLE  ="sv},
};

std::string lower_ending(const std::string& path) {
    const std::size_t dot = path.find_last_of("./");
    return dot == std::string::npos || path[dot] == '/' ? "" : lower_case(path.substr(dot));
}

}  // namespace

std::string_view kind_of_picture(const std::string& path) {
    std::array<char, 16> begin{};
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), begin.size());
    const std::string_view bytes(begin.data(), static_cast<std::size_t>(file.gcount()));
    const auto is_of = [&](const Signature& signature) {
        return bytes.size() >= signature.offset && bytes.substr(signature.offset).starts_with(signature.bytes);
    };
    const auto* const found = std::ranges::find_if(picture_signatures, is_of);
    return found == std::end(picture_signatures) ? "" : found->kind;
}

std::string other_kind(const std::vector<std::string>& paths) {
    const std::string first = lower_ending(paths.front());
    const std::string_view kind = kind_of_picture(paths.front());
    const auto differs = [&](const std::string& path) {
        if (lower_ending(path) == first) {
            return false;
        }
        const std::string_view own = kind_of_picture(path);
        return !own.empty() && own != kind;
    };
    const auto found = kind.empty() ? paths.end() : std::ranges::find_if(paths, differs);
    return found == paths.end() ? "" : *found;
}

}  // namespace vfilter
