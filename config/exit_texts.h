#pragma once
// What the program is and how it ends, in words: for --help and the man page.

#include <string_view>

#include "config/error.h"

namespace vfilter {

inline constexpr std::string_view summary =
    "Decodes a video, filters every picture, and encodes it again, with every stream, timestamp and tag kept.";

struct ExitText {
    ExitCode code;
    std::string_view text;
};

inline constexpr ExitText exit_texts[] = {
    {ExitCode::finished, "finished: all frames, trailer written, renamed"},
    {ExitCode::internal, "internal error"},
    {ExitCode::usage, "bad usage or configuration; no output but perhaps a .part"},
    {ExitCode::input, "input cannot be opened, or gives no picture that can be filtered"},
    {ExitCode::output, "output cannot be written"},
    {ExitCode::damaged, "finished, but part of the input was damaged, or of the output lost"},
    {ExitCode::device, "the requested device is missing or unusable"},
    {ExitCode::device_lost, "the device was lost in the middle"},
    {ExitCode::encoder, "the encoder is missing, refused or failed"},
    {ExitCode::hung_up, "stopped by SIGHUP, as the terminal was closed: the same as by SIGINT"},
    {ExitCode::interrupted, "stopped by SIGINT: the file up to there is finished and in place"},
    {ExitCode::terminated, "stopped by SIGTERM: the same"},
};

}  // namespace vfilter
