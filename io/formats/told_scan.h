#pragma once
// Which pictures are interlaced where their codec does not say.

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace vfilter {

/// What a container tells of all pictures of a video. Copied, as live inputs are opened again.
class ToldScan {
public:
    explicit ToldScan(const AVCodecParameters& codec);

    /// Not of codecs that say so themselves.
    [[nodiscard]] bool is_interlaced() const { return order_ > AV_FIELD_PROGRESSIVE; }
    /// Makes a picture interlaced that is and does not say so, and progressive what is taken for interlaced.
    void label(AVFrame& picture) const;

private:
    AVFieldOrder order_ = AV_FIELD_UNKNOWN;
    int height_ = 0;
    bool wrong_ = false;
};

}  // namespace vfilter
