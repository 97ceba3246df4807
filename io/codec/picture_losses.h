#pragma once
// What single pictures carry and encoding loses.

#include <optional>

#include "io/codec/picture_changes.h"
#include "io/codec/picture_stream.h"
#include "io/handles.h"

namespace vfilter {

/// Reports each loss once: captions that the encoder does not write, changes after the picture for which the encoder
/// was opened, ICC profiles for other colours. One thread.
class PictureLosses {
public:
    /// For the pictures of `stream`. `first`: the picture for which `encoder` is opened, which must outlive this.
    /// `reports`: false if nothing is to be said, as in a trial.
    PictureLosses(const AVCodecContext& encoder, const PictureStream& stream, const AVFrame& first, bool reports);

    /// Looks at each picture before it is converted, in order of presentation.
    void look(const AVFrame& picture);
    /// Removes the ICC profile of a picture, converted from the format `given`, if it is for other colours than it has
    /// now: readers would display wrong ones.
    void drop_other_profile(AVFrame& picture, AVPixelFormat given);

private:
    void look_for_captions(const AVFrame& picture);

    const AVCodecContext& encoder_;
    int stream_;  // its number in the input
    AVRational time_base_;
    double told_from_;         // seconds
    bool looks_for_captions_;  // until they are reported
    bool reports_profile_;     // that it does not fit, until that is reported
    std::optional<PictureChanges> changes_;
};

}  // namespace vfilter
