#pragma once
// What comes with single pictures, and gets lost when they are encoded.

#include <optional>

#include "io/codec/picture_changes.h"
#include "io/codec/picture_stream.h"
#include "io/handles.h"

namespace vfilter {

/// Tells each loss once: captions that the encoder does not write, what changes behind the picture for which it was
/// opened, ICC profiles of other colours. One thread.
class PictureLosses {
public:
    /// Of the pictures of `stream`, of which `first` is the one for which `encoder` is opened, which outlives this.
    /// `tells`: else nothing is said, as in a trial.
    PictureLosses(const AVCodecContext& encoder, const PictureStream& stream, const AVFrame& first, bool tells);

    /// Each picture as it comes, in order of presentation.
    void look(const AVFrame& picture);
    /// Takes the ICC profile off a picture that was made of one in the format `given`, if it is of other colours now,
    /// of which readers would show wrong ones.
    void drop_other_profile(AVFrame& picture, AVPixelFormat given);

private:
    void look_for_captions(const AVFrame& picture);

    const AVCodecContext& encoder_;
    int stream_;  // number of the input's
    AVRational time_base_;
    bool looks_for_captions_;  // until they were told
    bool tells_profile_;       // that one does not fit, until it was told
    std::optional<PictureChanges> changes_;
};

}  // namespace vfilter
