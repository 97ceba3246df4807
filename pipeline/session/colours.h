#pragma once
// The colour matrix of a video's pictures, as needed for colours.

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "filters/colour.h"
#include "io/formats/bgr_picture.h"

namespace vfilter {

inline ColourMatrix colour_matrix(AVColorSpace tagged, int width, int height) {
    switch (matrix_of(tagged, width, height)) {
        case AVCOL_SPC_BT709:
            return ColourMatrix::bt709;
        case AVCOL_SPC_BT2020_NCL:
            return ColourMatrix::bt2020;
        case AVCOL_SPC_SMPTE240M:
            return ColourMatrix::smpte240m;
        case AVCOL_SPC_FCC:
            return ColourMatrix::fcc;
        default:
            return ColourMatrix::bt601;
    }
}

/// The matrix of a tag that names one for which colour_matrix is only a substitute; unspecified for others. BT.2020
/// with constant luminance is treated as the other BT.2020, as in swscale.
inline AVColorSpace unknown_matrix(AVColorSpace tagged) {
    switch (tagged) {
        case AVCOL_SPC_UNSPECIFIED:
        case AVCOL_SPC_RESERVED:
        case AVCOL_SPC_BT2020_CL:
            return AVCOL_SPC_UNSPECIFIED;
        default:
            return matrix_of(tagged, 0, 0) == tagged ? AVCOL_SPC_UNSPECIFIED : tagged;
    }
}

/// Whether the planes may be green, blue and red (matrix 0 of ITU-T H.273): not with gray or subsampled chroma, and no
/// decoder accepts a bit stream that says so.
inline bool may_be_identity(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return d != nullptr && d->nb_components >= 3 && d->log2_chroma_w == 0 && d->log2_chroma_h == 0;
}

inline bool is_bt601(AVColorSpace matrix) {
    return matrix == AVCOL_SPC_BT470BG || matrix == AVCOL_SPC_SMPTE170M;
}

}  // namespace vfilter
