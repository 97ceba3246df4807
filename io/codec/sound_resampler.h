#pragma once
// Samples of one kind, rate and layout to those that an encoder takes.

#include <memory>

extern "C" {
#include <libswresample/swresample.h>
}

#include "io/handles.h"

namespace vfilter {

struct DeleteResampler {
    void operator()(SwrContext* context) const { swr_free(&context); }
};
using ResamplerPtr = std::unique_ptr<SwrContext, DeleteResampler>;

/// From sound such as `like` to what the encoder, which is open, takes. Where each channel has its place there
/// (places_of()) none is mixed, and no bit is lost that the encoder's samples hold.
ResamplerPtr make_resampler(const AVFrame& like, const AVCodecContext& encoder);

}  // namespace vfilter
