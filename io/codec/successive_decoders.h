#pragma once
// Decodes one video of an input and of the files appended to it.

#include <functional>
#include <memory>
#include <string>

#include "io/codec/frame_source.h"
#include "io/codec/picture_ledger.h"
#include "io/formats/frame_pool.h"
#include "io/handles.h"

namespace vfilter {

/// Each file has its own decoder, which begins when the last picture of the previous file is out: the beginning of a
/// file depends on nothing in another one, whatever their codecs and parameters are. One thread.
class SuccessiveDecoders final : public FrameSource {
public:
    /// Creates the decoder for one of the files.
    using Make = std::function<std::unique_ptr<FrameSource>(Clip)>;

    /// `reads_ahead`: some of them do.
    SuccessiveDecoders(Make make, bool reads_ahead) : make_(std::move(make)), reads_ahead_(reads_ahead) {}

    void send(const AVPacket* packet) override;
    FramePtr receive() override;
    void look_on(const Look& look) override;

    [[nodiscard]] std::string complaint() const override { return now_ ? now_->complaint() : ""; }
    [[nodiscard]] Damage damage() const override;
    [[nodiscard]] DecodeFacts facts() const override;
    [[nodiscard]] bool reads_ahead() const override { return reads_ahead_; }
    [[nodiscard]] std::int64_t passed() const override {
        return now_ && now_->reads_ahead() ? sent_before_ + now_->passed() : sent_;
    }

private:
    void begin(int clip);

    Make make_;
    bool reads_ahead_;
    Look look_;
    std::unique_ptr<FrameSource> now_;
    int clip_ = -1;
    PacketPtr next_;  // the first packet of the next file, while this one's pictures come out
    Damage damage_;   // of the previous files
    DecodeFacts facts_;
    std::int64_t sent_ = 0;         // packets that decoders have been sent
    std::int64_t sent_before_ = 0;  // of these, those of the previous files
};

/// On the CPU: a Decoder, or one for each of the input's files. All must outlive it. Throws as Decoder does.
std::unique_ptr<FrameSource> make_decoder(const Demuxer& input, int stream, FramePool& pool, int threads, bool strict);

}  // namespace vfilter
