#pragma once
// Kinds of outputs other than files: the prefix of a name, and what follows from it. Constant or pure functions.

#include <array>
#include <string_view>

#include "config/io_options.h"
#include "io/source.h"

namespace vfilter {

/// A receiver that takes the video as it comes: at an address, or from a virtual camera.
struct Sink {
    enum class Kind {
        camera,     ///< a device of this machine that accepts pictures without a container
        address,    ///< opened by a protocol
        announced,  ///< opened by the muxer
    };

    std::string_view prefix;     ///< the beginning of names of this kind
    std::string_view muxer;      ///< FFmpeg's output format
    std::string_view protocols;  ///< FFmpeg's whitelist
    Kind kind;
    std::array<SourceSetting, 2> settings;  ///< of the muxer
    SourceSetting protocol_setting{};       ///< for the protocol; the address may override it

    [[nodiscard]] constexpr bool camera() const { return kind == Kind::camera; }
};

/// The kind that a name belongs to; null for files and "-".
const Sink* sink_of(std::string_view path);

/// Whether the output goes to such a receiver, which takes the video at its own pace.
bool is_streamed(const OutputOptions& output);

/// Throws Error(usage) if the output is an address that may not be opened, or has something that its kind cannot have.
/// Opens nothing.
void check_sink(const OutputOptions& output, const InputOptions& input);

}  // namespace vfilter
