#pragma once
// Several encoders for one video, each of which encodes one part at a time: a single encoder does not use all
// processors of a large machine, as each picture waits for earlier ones.

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

/// How a video is divided among encoders.
struct EncoderParts {
    int encoders = 1;  ///< at the same time; 1: the video as a whole
    int pictures = 0;  ///< per part, which begins with a key frame
};

/// Whether the codec's streams can be assembled from independently encoded parts, and benefit from it: pictures that
/// are encoded independently need no parts.
bool can_be_parted(AVCodecID codec);

/// What the options request for this encoder, which is set up but not open: parts have OutputOptions::part_pictures
/// pictures, or 250, x264's own distance between key frames, and fewer if pictures are large. The same on every
/// machine. Throws Error(usage) if the options also request a bit rate, which applies to the whole video.
EncoderParts parts_for(const OutputOptions& options, const EncodeTask& task, const AVCodecContext& encoder);

/// The thread count of an encoder, which is set up but not open, as one of several: as it is, or, if that leaves it to
/// the encoder, a number that is the same on every machine where that is faster.
int threads_of_part(const OutputOptions& options, const AVCodecContext& encoder);

/// Sets up `to`, which is not open, as `from` was before it was opened, except for its private options.
void set_up_like(const AVCodecContext& from, AVCodecContext& to);

/// Distributes pictures to encoders and returns their packets in order. The bytes do not depend on how many encoders
/// there are, nor on when they work. One thread sends, waits and receives; destroying the object discards what is
/// inside. It has its own threads, one for each encoder, which take one part after the other; what one throws is thrown
/// by the next call.
class PartEncoders {
public:
    /// Creates and opens an encoder like the first one. Called from several threads at once.
    using Open = std::function<CodecContextPtr()>;

    /// `first` is open, takes the first part, and must outlive this. From then on the process keeps the memory that it
    /// frees, for the next encoder. Throws Error(encoder) if the system refuses a thread.
    PartEncoders(AVCodecContext& first, EncoderParts parts, Open open);
    ~PartEncoders();
    PartEncoders(const PartEncoders&) = delete;
    PartEncoders& operator=(const PartEncoders&) = delete;

    /// Waits until the next picture can be sent, a packet or the end of all can be received, or cancel() was called.
    void wait();
    /// Ends all waiting. Any thread.
    void cancel();
    /// Whether send() accepts a picture: at most as many parts are inside as there are encoders, and as many again that
    /// are finished but not received.
    [[nodiscard]] bool takes() const;
    /// A picture that nobody else references; null for the end. Only if takes(); the end at any time.
    void send(FramePtr picture);
    /// The next packet, with a decoding time that fits those before it; null if there is none yet, or never: see
    /// ended().
    PacketPtr receive();
    /// The maximum number inside, or not yet received in a packet.
    [[nodiscard]] int most_pictures() const { return 2 * parts_.encoders * parts_.pictures; }
    /// Whether all packets were received, after the end was sent.
    [[nodiscard]] bool ended() const;

private:
    struct Part {
        std::deque<FramePtr> pictures;  // not taken by the encoder yet
        std::deque<PacketPtr> packets;
        std::deque<std::int64_t> shown;  // times of the pictures that were sent
        bool first = false;              // of the video
        bool taken = false;              // by an encoder
        bool whole = false;              // no more are sent
        bool done = false;               // all packets are available
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
    std::list<Part> inside_;           // in order; packets are received from the first one
    bool begun_ = false;
    bool ended_ = false;
    bool stopped_ = false;
    bool cancelled_ = false;
    std::exception_ptr failure_;
    // For the receiving thread.
    std::deque<std::int64_t> shown_before_;  // of the previous part
    std::size_t received_ = 0;               // of this part
    std::size_t held_back_ = 0;  // packets of the first part that are decoded before its first picture is displayed
    std::vector<std::thread> threads_;
};

}  // namespace vfilter
