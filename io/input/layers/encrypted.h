#pragma once
// Packets that nobody can read without a key.

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "io/input/evidence/packet_account.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Leaves out packets that are still encrypted (MP4's Common Encryption, ISO 23001-7; Matroska's ContentEncryption): as
/// they are, they would be garbage in any other file. They are damage; a filtered video that begins with one throws
/// Error(input).
class Encrypted final : public PacketLayer {
public:
    /// Tells `account`, which must outlive it. Lies over what counts packets: these are there. Those of kinds that are
    /// not `wanted`, of kind::, go without a word. With `strict` the first one throws Error(damaged).
    Encrypted(std::unique_ptr<PacketSource> inner, PacketAccount& account, const std::vector<int>& filtered,
              unsigned wanted, bool strict);

    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;

private:
    [[nodiscard]] bool is_encrypted(const AVPacket& packet) const;
    void leave_out(const AVPacket& packet);

    PacketAccount& account_;
    std::set<int> filtered_;
    unsigned wanted_;
    bool strict_;
    std::set<int> read_;  // streams of which something could be read
    std::set<int> told_;
};

}  // namespace vfilter
