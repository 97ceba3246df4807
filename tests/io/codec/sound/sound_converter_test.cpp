// Sound of one codec to that of another, where the clocks of two devices run apart.

#include "io/codec/sound/sound_converter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace vfilter {
namespace {

constexpr int rate = 8000;
constexpr int packet_samples = 80;

// A live input of FFmpeg's with a stream of such sound, whose packets the tests make themselves.
class LiveSound : public ::testing::Test {
protected:
    // Sends `seconds` of sound that was recorded by a clock that runs `speed` times as fast as the pictures', with a
    // click at each second of theirs. Times err by up to `jitter` seconds.
    void send(double seconds, double speed, double jitter);

    std::vector<std::int16_t> sent_;
    std::vector<std::int16_t> received_;  // from time 0 on

private:
    void receive();

    static InputRequest options() {
        InputRequest of_input;
        of_input.path = "lavfi:testsrc2=s=16x16[out0];sine=r=8000[out1]";
        of_input.live = true;
        return of_input;
    }
    Demuxer input_{options(), [] { return false; }};
    SoundConverter converter_{input_,
                              1,
                              {.encoder = *avcodec_find_encoder(AV_CODEC_ID_PCM_S16LE),
                               .container = *av_guess_format("matroska", nullptr, nullptr),
                               .how = {}}};
};

void LiveSound::send(double seconds, double speed, double jitter) {
    const AVRational base = input_.format().streams[1]->time_base;
    for (std::int64_t k = 0; static_cast<double>(k * packet_samples) < seconds * speed * rate; ++k) {
        const PacketPtr packet = make_packet();
        ASSERT_EQ(av_new_packet(packet.get(), 2 * packet_samples), 0);
        std::vector<std::int16_t> samples(packet_samples);
        const auto second_of = [&](std::int64_t sample) {
            return std::floor(static_cast<double>(sample) / (speed * rate));
        };
        for (int i = 0; i < packet_samples; ++i) {
            const std::int64_t at = k * packet_samples + i;
            const bool click = at > 0 && second_of(at) > second_of(at - 1);
            samples[static_cast<std::size_t>(i)] = click ? 20000 : static_cast<std::int16_t>(at % 100);
        }
        std::memcpy(packet->data, samples.data(), 2 * packet_samples);
        sent_.insert(sent_.end(), samples.begin(), samples.end());
        const double error = jitter * std::sin(static_cast<double>(k) * 1.7);
        const double time = static_cast<double>(k * packet_samples) / (speed * rate) + error;
        packet->pts = packet->dts = std::llround(time / av_q2d(base));
        packet->stream_index = 1;
        converter_.send(packet.get());
        receive();
    }
    converter_.send(nullptr);
    receive();
}

void LiveSound::receive() {
    while (const PacketPtr packet = converter_.receive()) {
        const auto at = static_cast<std::size_t>(packet->pts);
        const std::size_t count = static_cast<std::size_t>(packet->size) / 2;
        ASSERT_EQ(at, received_.size()) << "neither a hole nor an overlap";
        received_.resize(at + count);
        std::memcpy(received_.data() + at, packet->data, 2 * count);
    }
}

// Ten minutes of a microphone whose clock is 0.1 % fast, which is 0.6 s.
TEST_F(LiveSound, FollowsItsTimesWhereItsClockRunsFast) {
    send(600, 1.001, 0.004);
    int clicks = 0;
    double worst = 0;
    for (std::size_t i = 1; i + 1 < received_.size(); ++i) {
        if (received_[i] > 9000 && received_[i] >= received_[i - 1] && received_[i] > received_[i + 1]) {
            const double time = static_cast<double>(i) / rate;
            ++clicks;
            worst = std::max(worst, std::abs(time - std::round(time)));
        }
    }
    EXPECT_NEAR(clicks, 599, 1);
    EXPECT_LT(worst, 0.01);
    EXPECT_NEAR(static_cast<double>(received_.size()) / rate, 600, 0.02);
}

TEST_F(LiveSound, StaysAsItIsWhereTheClocksAgree) {
    send(10, 1, 0.001);
    EXPECT_EQ(received_, sent_);
}

}  // namespace
}  // namespace vfilter
