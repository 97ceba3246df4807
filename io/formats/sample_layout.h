#pragma once
// Where the samples of a pixel format are in memory, according to FFmpeg's description of it. Used for moving samples:
// samples.h, packed_samples.h.

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <cstdint>
#include <optional>

#include "io/formats/format_facts.h"

namespace vfilter {

/// Where one component of a picture is.
struct Component {
    int plane = 0;
    int offset = 0;  ///< bytes
    int step = 0;    ///< bytes from one sample to the next
    int word = 1;    ///< bytes that hold a sample
    int shift = 0;   ///< of the sample in its word
    int depth = 0;
    int log2_width = 0;
    int log2_height = 0;

    /// Whether its words contain only the sample's bits.
    [[nodiscard]] bool fills_its_word() const { return shift == 0 && depth == word * 8; }
};

/// A format that can be read sample by sample.
struct Layout {
    const AVPixFmtDescriptor* descriptor = nullptr;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    Colours colours = Colours::gray;
    int colour_count = 1;
    bool alpha = false;
    bool swapped = false;  ///< words have the opposite byte order of the machine
    Component components[4];

    [[nodiscard]] int count() const { return colour_count + (alpha ? 1 : 0); }
    [[nodiscard]] bool has(std::uint64_t flag) const { return (descriptor->flags & flag) != 0; }
    [[nodiscard]] bool can_be_written() const {
        return !has(AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM) && components[0].depth >= 8;
    }
    /// The value of bits that belong to no component, as FFmpeg itself writes them: ones in packed RGB, else zeros.
    [[nodiscard]] bool has_ones_between() const {
        return colours == Colours::rgb && av_pix_fmt_count_planes(format) == 1;
    }
};

/// Empty for formats with floating-point samples, with more than 16 bits, or in other devices' memory, and for those
/// whose description is insufficient.
std::optional<Layout> layout_of(AVPixelFormat format);

/// The component of `from` from which that of `to` is made, or -1 if it is a constant.
int source_of(int component, const Layout& from, const Layout& to);

}  // namespace vfilter
