#pragma once
// Decrypted sound: a wrong key turns it into garbage without any error.

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/input_request.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Whether the options contain a key with which FFmpeg decrypts.
bool has_key(const InputOptions& options);

/// Decodes sound and discards the result. Packets that the decoder refuses count as damage, and are passed on.
class KeyedSound final : public PacketLayer {
public:
    /// `options` must outlive it. With --strict the first such packet throws Error(damaged).
    KeyedSound(std::unique_ptr<PacketSource> inner, const InputRequest& options);

    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;
    Damage take_damage() override;

private:
    [[nodiscard]] bool is_refused(const AVPacket& packet);
    void begin(const AVStream& stream);

    const InputOptions& options_;
    std::vector<CodecContextPtr> decoders_;  // by stream; null if there is none
    std::set<int> told_;
    Damage damage_;
};

}  // namespace vfilter
