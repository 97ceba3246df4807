#pragma once
// Names of encoders that people use, and the encoders that are meant.

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace vfilter {

/// The best encoder first. FFmpeg's own codecs and encoders need no row, but where its first encoder is not what
/// anybody wants: libaom takes minutes where SVT-AV1 takes seconds.
struct CommonEncoder {
    std::string_view name;
    std::array<const char*, 3> encoders;
};
inline constexpr CommonEncoder common_encoders[] = {
    {"x264", {"libx264"}},
    {"h264", {"libx264", "h264_nvenc", "libopenh264"}},
    {"avc", {"libx264", "h264_nvenc", "libopenh264"}},
    {"x265", {"libx265"}},
    {"h265", {"libx265", "hevc_nvenc"}},
    {"hevc", {"libx265", "hevc_nvenc"}},
    {"av1", {"libsvtav1", "libaom-av1", "librav1e"}},
    {"avif", {"libaom-av1", "libsvtav1", "librav1e"}},
    {"vp9", {"libvpx-vp9"}},
    {"vp8", {"libvpx"}},
    {"webp", {"libwebp"}},
    {"jpeg2000", {"libopenjpeg", "jpeg2000"}},  // FFmpeg's own has wrong samples of more than 8 bits
    {"prores", {"prores_ks", "prores"}},
    {"dnxhr", {"dnxhd"}},
};

/// The encoder that a common name stands for where FFmpeg has it; any other name is one itself.
inline std::string_view usual_encoder(std::string_view name) {
    const auto* const row = std::ranges::find(common_encoders, name, &CommonEncoder::name);
    return row == std::end(common_encoders) ? name : row->encoders.front();
}

}  // namespace vfilter
