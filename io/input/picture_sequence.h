#pragma once
// A sequence of pictures as an input: one file after another, each a packet.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/input_request.h"
#include "io/input/packet_source.h"
#include "io/log/complaints.h"
#include "io/picture_names.h"

namespace vfilter {

/// Pictures at the rate of --framerate (25 without it). Files in the first one's format are passed on unchanged;
/// libavcodec decodes them. A missing number leaves a gap of one picture, and counts as damage. One thread at a time.
class PictureSequence final : public PacketSource {
public:
    /// Opens the first picture and reports how many there are. `options` and `interrupted` must outlive it. Throws
    /// Error(input).
    PictureSequence(const InputRequest& options, FoundPictures pictures, const std::function<bool()>& interrupted);

    [[nodiscard]] const AVFormatContext& format() const override { return *format_; }
    [[nodiscard]] AVFormatContext& streams() const { return *format_; }
    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;
    [[nodiscard]] const Complaints* complaints() const override { return &complaints_; }
    const ContainerScan* scan() override { return nullptr; }
    Damage take_damage() override { return std::exchange(damage_, {}); }

private:
    void check_kinds() const;
    void open_first();
    void tell() const;
    [[nodiscard]] std::string missing_numbers() const;
    void count_hole();
    [[nodiscard]] std::string load(const std::string& path, AVPacket& packet);
    void judge_file(const std::string& path, std::span<const std::uint8_t> file);
    [[nodiscard]] std::string unpack(const std::string& path, AVPacket& packet);

    const InputRequest& options_;
    const std::function<bool()>& interrupted_;
    FoundPictures pictures_;
    AVRational rate_{25, 1};
    DescriptionPtr format_;
    std::string demuxer_;                    // of a single picture
    const AVInputFormat* packed_ = nullptr;  // the format of a picture whose file is more than its packet; else null
    Complaints complaints_;
    Damage damage_;
    std::size_t next_ = 0;
    bool tells_more_ = true;  // about what follows a picture
};

}  // namespace vfilter
