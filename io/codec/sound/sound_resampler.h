#pragma once
// Converts samples to the format, rate and layout that an encoder accepts.

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

/// From sound such as `like` to `taken`. If each channel has its place there (places_of()) none is mixed, and no bit of
/// its samples is lost.
ResamplerPtr make_resampler(const AVFrame& like, const SoundFormat& taken);

}  // namespace vfilter
