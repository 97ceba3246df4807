#pragma once
// Samples of one kind, rate and layout to those that an encoder takes.

#include <memory>

extern "C" {
#include <libswresample/swresample.h>
}

#include "io/formats/sound_format.h"
#include "io/handles.h"

namespace vfilter {

struct DeleteResampler {
    void operator()(SwrContext* context) const { swr_free(&context); }
};
using ResamplerPtr = std::unique_ptr<SwrContext, DeleteResampler>;

/// From sound such as `like` to `taken`. Where each channel has its place there (places_of()) none is mixed, and no bit
/// is lost that its samples hold.
ResamplerPtr make_resampler(const AVFrame& like, const SoundFormat& taken);

}  // namespace vfilter
