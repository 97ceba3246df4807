#pragma once
// One of two passes of an encoder over the same pictures: what the first finds out, and the second goes by.

#include <fstream>
#include <string>

#include "io/codec/encode_task.h"
#include "io/handles.h"

namespace vfilter {

/// Where the first of two passes leaves what it has found of a stream.
std::string pass_file(const EncodeTask& task, int stream);

/// Owns the statistics that an encoder is given, so that it has to outlive the encoder, and the file into which go
/// those that an encoder gives. Does nothing until it is set up. One thread.
class EncoderPass {
public:
    EncoderPass() = default;
    EncoderPass(const EncoderPass&) = delete;
    EncoderPass& operator=(const EncoderPass&) = delete;

    /// Tells an encoder that is not open yet, and has all other settings, which pass it makes. Throws Error(usage)
    /// where it knows no passes, Error(output) for statistics that cannot be written or read, Error(encoder) where it
    /// would refuse the second pass.
    void set_up(const EncodeTask& task, int stream, AVCodecContext& encoder, Dictionary& settings);
    /// Whenever the encoder has given a packet or come to its end: writes what it has found, unless it does so by
    /// itself. Throws Error(output).
    void keep_statistics(const AVCodecContext& encoder);
    /// Where the encoder has failed: throws Error(output) if that may be because nothing more can be written.
    void check_folder() const;

private:
    std::string folder_;      // "" without passes
    std::string statistics_;  // of the first pass, for the second
    std::ofstream to_;        // of the first pass, where the encoder does not write them itself
};

}  // namespace vfilter
