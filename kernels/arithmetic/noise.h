#pragma once
// The contract of measured noise: an integer of the samples of some pictures, the same on every machine.
//
// Of each sample that has eight neighbours the second difference along both axes is taken,
//
//     L = |s(-1,-1) - 2 s(0,-1) + s(1,-1) - 2 s(-1,0) + 4 s(0,0) - 2 s(1,0) + s(-1,1) - 2 s(0,1) + s(1,1)|
//
// which is 0 on any slope, and whose mean is 6 sqrt(2 / pi) sigma for normal noise (J. Immerkaer, Fast noise variance
// estimation, 1996). It is summed up over blocks of 32 x 32 samples, from the second row and column on; of what is left
// at the right and below nothing is looked at, but a plane of fewer than 34 samples has one block there. Texture and
// edges only add to a sum, so that of the blocks of all pictures one of the quietest stands for the noise: that of rank
// count / 10, counted from 0, of which pure noise has 0.945 of its mean. In hundredths of a step of an 8-bit picture,
// with n the samples of a block,
//
//     sigma = (22104 sum + d / 2) / d,  d = 1000 n 2^(depth - 8)                              divisions rounded down
//
// Left out are blocks with a row or a column of nothing but black, up to two 8-bit steps above it, as bars beside a
// film have; and those of which a tenth of the samples or more are at an end of the range, where noise is cut off. No
// blocks: 0.

#include <cstdint>
#include <vector>

#include "kernels/plane.h"

namespace vfilter {

/// Of one component of the pictures of one video. One thread uses it.
class NoiseMeter {
public:
    explicit NoiseMeter(int depth) : depth_(depth) {}

    /// A picture, or one of its two fields. `black`: what the samples of bars are. Pictures have the same size.
    template <class T>
    void add(PlaneView<const T> plane, int component, int black);
    /// Of all of them.
    [[nodiscard]] int hundredths() const;

private:
    int depth_;
    std::int64_t block_ = 0;  // samples of one
    std::vector<std::int64_t> sums_;
};

}  // namespace vfilter
