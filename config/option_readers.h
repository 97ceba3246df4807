#pragma once
// What single options hold, as text and as values. All throw Error(usage) for text that is none.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/command_line.h"

namespace vfilter {

/// What parse_position() takes, or "chapter:2". Throws Error(usage).
Position parse_place(std::string_view option, const std::string& text);

/// A number of seconds, of frames with an f behind it, or a chapter; "" for none.
std::string show_position(const std::optional<Position>& position);

/// auto, cpu, all, or GPUs, none of them twice.
void parse_device(Command& command, const std::string& text);

/// 1280x720, each from 1 to 32768; for the option of this name.
std::string parse_size(std::string_view option, const std::string& text);

/// Pictures a second, from 0.001 to 1000, as a fraction. Rates that people round, such as 23.976, are 1000/1001 of a
/// whole one.
std::string parse_framerate(std::string_view option, const std::string& text);

/// Pixels, or with an M behind it millions of them.
std::int64_t parse_pixels(std::string_view option, const std::string& text);

/// How many encoders, and behind a colon how many pictures each takes at once.
void parse_encoders(Command& command, const std::string& text);
/// "" for a single one.
std::string show_encoders(const Options& options);

/// Nothing but auto.
void parse_crop(Command& command, const std::string& text);

/// What a file says to its encoder means nothing to another one, and is forgotten.
void choose_codec(Command& command, const std::string& codec);

}  // namespace vfilter
