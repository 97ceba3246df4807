#pragma once
// Streams of other files in addition to those of the input.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/input/added_input.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Returns the packets of added files between those of the input, by their time: each file is read no farther than the
/// input is, and to its end after the input's end.
class WithFiles final : public PacketLayer {
public:
    /// `description` has the streams of the inner source, `own_streams`, and after them those of the files; it must
    /// outlive this. Packets put back to the inner source may belong to any of them.
    WithFiles(std::unique_ptr<PacketSource> inner, std::vector<std::unique_ptr<AddedInput>> files,
              const AVFormatContext& description, int own_streams);

    [[nodiscard]] const AVFormatContext& format() const override { return description_; }
    int read(AVPacket& packet) override;

    /// Before this call, only the inner source is read: see AddedInput::begin().
    void begin(const WantedPart& part);
    /// Adds what was read ahead from the inner source to what is put back to it.
    void leave(std::deque<PacketPtr>& packets);
    /// The file that a stream of the description belongs to, from 1; 0 for the inner source.
    [[nodiscard]] int file_of(int stream) const;
    [[nodiscard]] AddedInput& file(int number) { return *files_.at(static_cast<std::size_t>(number) - 1); }
    /// For all files.
    [[nodiscard]] Damage damage() const;
    /// For each file: see PacketSource::sha256().
    std::vector<std::string> sums(const std::function<bool()>& stop);

private:
    [[nodiscard]] AddedInput* earliest();

    std::vector<std::unique_ptr<AddedInput>> files_;
    const AVFormatContext& description_;
    int own_streams_;
    bool begun_ = false;
    PacketPtr waiting_;         // from the input
    std::int64_t due_ = 0;      // when that is due, microseconds
    std::optional<int> ended_;  // the error at the input's end
};

/// An input's properties, in a form that others can read while more streams are added. It refers to the input's bytes.
DescriptionPtr describe_file(const AVFormatContext& input);

}  // namespace vfilter
