#pragma once
// Which pictures are interlaced if their codec does not say.

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace vfilter {

/// What a container says about all pictures of a video. Copied, as live inputs are reopened.
class ToldScan {
public:
    explicit ToldScan(const AVCodecParameters& codec);

    /// Not for codecs that say so themselves.
    [[nodiscard]] bool is_interlaced() const { return order_ > AV_FIELD_PROGRESSIVE; }
    /// Marks a picture as interlaced if it is and does not say so, and as progressive if it is wrongly taken for
    /// interlaced.
    void label(AVFrame& picture) const;

private:
    AVFieldOrder order_ = AV_FIELD_UNKNOWN;
    int height_ = 0;
    bool wrong_ = false;
};

}  // namespace vfilter
