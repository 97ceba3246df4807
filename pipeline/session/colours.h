#pragma once
// The matrix of a video's pictures, as colours want to know it.

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

}  // namespace vfilter
