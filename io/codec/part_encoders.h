#pragma once
// Several encoders of one video beside each other, each with a part of it at a time: an encoder by itself does not use
// the processors of a large machine, as each picture waits for those before it.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/handles.h"

namespace vfilter {

/// How a video is dealt to encoders.
struct EncoderParts {
    int encoders = 1;  ///< beside each other; 1: as a whole
    int pictures = 0;  ///< of a part, which begins with a key frame
};

/// Whether the codec's streams may be put together of parts that know nothing of each other, and gain by it: pictures
/// that stand by themselves need no parts.
bool can_be_parted(AVCodecID codec);

/// What the options ask of this encoder, which is set up and not open: parts are of OutputOptions::part_pictures, or of
/// 250 pictures, x264's own distance between key frames, and fewer where they are large. The same on every machine.
/// Throws Error(usage) where the options also ask for a rate of bits, which is the whole video's.
EncoderParts parts_for(const OutputOptions& options, const EncodeTask& task, const AVCodecContext& encoder);

/// Sets `to`, which is not open, up as `from` was before it was opened, but for its private options.
void set_up_like(const AVCodecContext& from, AVCodecContext& to);

/// Deals pictures to encoders and gives their packets in order. Bytes do not depend on how many there are, nor on
/// when they work. One thread sends, waits and receives; destroying it throws away what is inside. Its threads are its
/// own, one for each encoder, and take a part after the other; what one throws is thrown by the next call.
class PartEncoders {
public:
    /// Makes and opens an encoder like the first one. Called from several threads at once.
    using Open = std::function<CodecContextPtr()>;

    /// `first` is open, takes the first part, and outlives this. Throws Error(encoder) where the system has no thread.
    PartEncoders(AVCodecContext& first, EncoderParts parts, Open open);
    ~PartEncoders();
    PartEncoders(const PartEncoders&) = delete;
    PartEncoders& operator=(const PartEncoders&) = delete;

    /// Until the next picture can be sent, a packet or the end of all received, or cancel() was called.
    void wait();
    /// Nothing more is waited for. Any thread.
    void cancel();
    /// Whether send() takes a picture: at most so many parts are inside as there are encoders, and as many again that
    /// are done but not received.
    [[nodiscard]] bool takes() const;
    /// A picture of its own, which nobody else holds; null for the end. Only where takes(), and the end at any time.
    void send(FramePtr picture);
    /// The next packet, its decoding time among those before it; null if there is none yet, or never: see ended().
    PacketPtr receive();
    /// As many as may be inside, or received in no packet yet.
    [[nodiscard]] int most_pictures() const { return 2 * parts_.encoders * parts_.pictures; }
    /// Whether all packets were received, after the end was sent.
    [[nodiscard]] bool ended() const;

private:
    struct Part {
        std::deque<FramePtr> pictures;  // not taken by the encoder yet
        std::deque<PacketPtr> packets;
        std::deque<std::int64_t> shown;  // times of the pictures sent
        bool first = false;              // of the video
        bool taken = false;              // by an encoder
        bool whole = false;              // no more are sent
        bool done = false;               // all packets are there
    };

    [[nodiscard]] bool may_go_on() const;
    [[nodiscard]] bool can_take() const;
    void order(AVPacket& packet);
    void throw_failure() const;
    void work();
    Part* next_part();
    void encode(Part& part, AVCodecContext& encoder);
    FramePtr next_picture(Part& part);

    AVCodecContext& first_;
    const EncoderParts parts_;
    const Open open_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;  // for the encoders
    std::condition_variable ready_;    // for the thread that sends and receives
    std::list<Part> inside_;           // in order, the first one is received from
    bool begun_ = false;
    bool ended_ = false;
    bool stopped_ = false;
    bool cancelled_ = false;
    std::exception_ptr failure_;
    // Of the thread that receives.
    std::deque<std::int64_t> shown_before_;  // of the part before
    std::size_t received_ = 0;               // of this part
    std::size_t held_back_ = 0;  // packets of the first part that are decoded before its first picture is shown
    std::vector<std::thread> threads_;
};

}  // namespace vfilter
