#pragma once
// Why an input is not opened: what FFmpeg says of it, or does not say, and what it is not to open.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/input_bytes.h"
#include "io/input/input_request.h"

namespace vfilter {

constexpr int max_input_streams = 1000;  ///< of an input; a satellite's whole transponder has a few hundred
/// Bytes of a GIF in a pipe, of which FFmpeg counts the pictures before it reads them.
constexpr std::size_t max_piped_gif = 64U << 20;

/// Keeps what an input names besides itself closed. FFmpeg opens by their names pictures that it knows by them alone,
/// and addresses.
class OpenGuard {
public:
    /// Before the input is opened; the guard must outlive it, and stay where it is.
    void close_others(AVFormatContext& format, const std::string& url);

private:
    std::string own_url_;  // the only one that its demuxer may open
};

/// The demuxer of y4m counts the bytes of a picture in 32 bits, and says of larger ones only that something is wrong.
/// `beginning`: as far as it was read. Throws Error(input).
void check_y4m_size(const InputOptions& options, const AVInputFormat& format, std::span<const std::uint8_t> beginning);

/// Of a file as a whole, PNG and HEIF. FFmpeg decodes the first picture of a pipe, and of a video, before anybody else
/// sees it. Throws Error(input).
void check_pictures(const InputOptions& options, const InputBytes& bytes);

/// A name alone makes raw pictures of some files, of which no container tells what they are. Throws Error(input).
void check_raw_pictures(const InputOptions& options, const AVFormatContext& format);

/// Throws Error(input) if there is a reason.
void refuse_picture(const InputOptions& options, const std::string& why);

/// The beginning of a container may be so damaged that FFmpeg takes what is in it for a stream without one: it finds
/// that stream alone. Warns.
void tell_bare_stream(const InputOptions& options, const AVInputFormat& format);

/// "has more than 1000 streams ..."
std::string too_many_streams();

/// What is known of an input that FFmpeg did not open.
struct FailedOpening {
    int error;                          ///< FFmpeg's
    bool timed_out = false;             ///< nothing came
    const InputBytes* bytes = nullptr;  ///< null where FFmpeg opens it by itself
    std::string complaint{};            ///< the last one of FFmpeg's
    std::string missing{};              ///< MissingParts::first()
    bool scrambled = false;             ///< a stream that was found is
};

/// The reason, for people.
std::string why_not_opened(const InputRequest& options, const FailedOpening& failed);

}  // namespace vfilter
