#pragma once
// Whether an encoder whose codec is called lossless keeps the samples that it is given. Some do not: at levels that an
// interface reserves for marks, at sizes that they compute wrongly, or because they first convert them to other
// colours.

#include <deque>
#include <optional>
#include <string>

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/picture_stream.h"
#include "io/formats/formats.h"
#include "io/handles.h"

namespace vfilter {

/// Whether, according to the names of the codec and the options, nothing is lost. Not for those that pass the pictures
/// on.
bool is_called_lossless(const OutputOptions& options, const AVOutputFormat& container);

/// Decodes what such an encoder outputs, and compares it with its input, until a picture is found to have changed,
/// which is reported. What cannot be compared here is assumed to be equal. One thread.
class SampleWatch {
public:
    /// `encoder` must be open, and outlive this. `reports`: false if a change is neither reported nor an error, as in a
    /// trial.
    SampleWatch(const AVCodecContext& encoder, bool reports);

    /// A picture for the encoder, in its format; it is kept until it is compared.
    void sent(const AVFrame& picture);
    /// A packet of it, null for the end. Throws Error(encoder) if it cannot be decoded, std::bad_alloc.
    void came(const AVPacket* packet);
    /// About the first picture that has changed: by how much at most, "4 of 1023", or "" if it cannot be decoded, and
    /// when it is displayed.
    struct Change {
        std::string most;
        std::int64_t pts;  // the encoder's
    };
    [[nodiscard]] const std::optional<Change>& change() const { return change_; }

private:
    void compare(const AVFrame& given, AVFrame& made);
    void find(std::string most, std::int64_t pts);
    void report(const Change& change) const;
    void give_up();

    const AVCodecContext& encoder_;
    bool reports_;
    CodecContextPtr decoder_;  // null once nothing more is compared
    std::optional<Converter> given_;
    std::optional<Converter> made_;
    std::deque<FramePtr> pictures_;
    FramePtr wanted_;  // what is compared: the input, and the result
    FramePtr found_;
    std::optional<Change> change_;
};

/// Whether such an encoder, opened with these options, may change samples: because it does so with random ones, in a
/// small picture whose size is as odd as that of `first`, or because pictures are so small that it may compute their
/// size wrongly. False if nothing here decodes what it makes of that picture.
bool may_change_samples(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                        const PictureStream& stream, const AVFrame& first, AVPixelFormat kept);

}  // namespace vfilter
