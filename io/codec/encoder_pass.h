#pragma once
// One of two passes of an encoder over the same pictures: the statistics that the first collects and the second uses.

#include <fstream>
#include <string>

#include "io/codec/encode_task.h"
#include "io/handles.h"

namespace vfilter {

/// The file in which the first of two passes leaves the statistics of a stream.
std::string pass_file(const EncodeTask& task, int stream);

/// Owns the statistics that an encoder reads, so it must outlive the encoder, and the file to which those that an
/// encoder collects are written. Does nothing until it is set up. One thread.
class EncoderPass {
public:
    EncoderPass() = default;
    EncoderPass(const EncoderPass&) = delete;
    EncoderPass& operator=(const EncoderPass&) = delete;

    /// Tells an encoder that is not open yet, and has all its other settings, which pass it makes. Throws Error(usage)
    /// if it cannot make two passes, Error(output) if statistics cannot be written or read, Error(encoder) if it would
    /// refuse the second pass.
    void set_up(const EncodeTask& task, int stream, AVCodecContext& encoder, Dictionary& settings);
    /// After each packet of the encoder and at its end: writes the statistics, unless the encoder does so itself.
    /// Throws Error(output).
    void keep_statistics(const AVCodecContext& encoder);
    /// After the encoder has failed: throws Error(output) if nothing more can be written to the folder.
    void check_folder() const;

private:
    std::string folder_;      // "" without passes
    std::string statistics_;  // collected in the first pass, for the second
    std::ofstream to_;        // in the first pass, if the encoder does not write them itself
};

}  // namespace vfilter
