// The filter stage between channels, with an engine that only keeps pictures.

#include "pipeline/stages/filter_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

extern "C" {
#include <libavformat/avformat.h>
}

namespace vfilter {
namespace {

using namespace std::chrono_literals;

// Writes what happens: s for submit, t for take, with the picture's number and the engine's name.
class FakeEngine : public FilterEngine {
public:
    FakeEngine(std::string name, std::size_t slots, std::vector<std::string>& log, std::size_t delay = 0)
        : name_(std::move(name)), slots_(slots), log_(log), delay_(delay) {}

    void submit(Frame frame) override {
        log_.push_back(name_ + "s" + std::to_string(frame.index));
        inside_.push_back(std::move(frame));
    }
    Frame take() override {
        Frame frame = std::move(inside_.front());
        inside_.pop_front();
        log_.push_back(name_ + "t" + std::to_string(frame.index));
        return frame;
    }
    void finish() override {
        if (delay_ > 0) {
            log_.push_back(name_ + "f");
        }
    }
    [[nodiscard]] std::size_t delay() const override { return delay_; }
    [[nodiscard]] std::size_t in_flight() const override { return inside_.size(); }
    [[nodiscard]] std::size_t slots() const override { return slots_; }
    [[nodiscard]] std::string name() const override { return name_; }

private:
    std::string name_;
    std::size_t slots_;
    std::vector<std::string>& log_;
    std::size_t delay_;
    std::deque<Frame> inside_;
};

class FilterStageTest : public ::testing::Test {
protected:
    FilterStageTest() : input_(avformat_alloc_context()), stream_(avformat_new_stream(input_, nullptr)) {
        stream_->time_base = {1, 1000};
        stream_->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
        stream_->codecpar->codec_id = AV_CODEC_ID_H264;
    }
    ~FilterStageTest() override { avformat_free_context(input_); }

    void begin(bool live) {
        run_.reset(new StageRun{.stats = stats_, .trace = nullptr, .hook = {}, .live = live});
        route_.emplace(0, *stream_, 0, AVRational{25, 1}, live);
    }
    FilterStage stage(std::size_t slots, FilterOutputs outputs, std::optional<double> max_latency = {},
                      std::size_t delay = 0) {
        return {*run_,
                *route_,
                std::make_unique<FakeEngine>("a", slots, log_, delay),
                nullptr,
                outputs,
                max_latency,
                FilterPlace{.from = route_->decoded}};
    }
    static Frame frame(std::int64_t index, Stamps::Clock::time_point captured = Stamps::Clock::now()) {
        Frame made{make_frame(), index};
        made.picture->format = AV_PIX_FMT_GRAY8;
        made.picture->width = 16;
        made.picture->height = 16;
        av_check(av_frame_get_buffer(made.picture.get(), 0), "av_frame_get_buffer");
        made.stamps.captured = captured;
        made.stamps.decoded = captured;
        return made;
    }
    std::vector<std::int64_t> filtered() {
        route_->filtered.close();
        std::vector<std::int64_t> indices;
        while (const std::optional<Frame> frame = route_->filtered.receive()) {
            indices.push_back(frame->index);
        }
        return indices;
    }

    AVFormatContext* input_;
    AVStream* stream_;
    Stats stats_;
    std::unique_ptr<StageRun> run_;
    std::optional<VideoRoute> route_;
    std::vector<std::string> log_;
};

TEST_F(FilterStageTest, KeepsAnEngineFullAndGivesAllAtTheEnd) {
    begin(false);
    FilterStage filter = stage(2, {.encoder = true});
    for (int i = 0; i < 3; ++i) {
        route_->decoded.send(frame(i));
    }
    route_->decoded.close();
    filter.run();
    EXPECT_EQ(log_, (std::vector<std::string>{"as0", "as1", "at0", "as2", "at1", "at2"}));
    EXPECT_EQ(filtered(), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(stats_[StageId::filter].items(), 3);
}

TEST_F(FilterStageTest, LiveNobodyWaitsForTheNextPicture) {
    begin(true);
    FilterStage filter = stage(4, {.encoder = true});
    route_->decoded.send(frame(0));
    route_->decoded.close();
    filter.run();
    EXPECT_EQ(log_, (std::vector<std::string>{"as0", "at0"}));
    EXPECT_EQ(stats_.latency[Leg::ready].count(), 1);
}

// Of an engine that looks at what comes after, results are waited for, and its end is told.
TEST_F(FilterStageTest, WaitsForAsManyPicturesAsTheEngineLooksAhead) {
    for (const bool live : {false, true}) {
        log_.clear();
        begin(live);
        FilterStage filter = stage(live ? 4 : 3, {.encoder = true}, {}, 2);
        run_->hook = [&](StageId, std::int64_t item) {
            if (item < 2) {
                route_->decoded.send(frame(item + 1));
            } else {
                route_->decoded.close();
            }
        };
        route_->decoded.send(frame(0));
        filter.run();
        EXPECT_EQ(log_, (std::vector<std::string>{"as0", "as1", "as2", "at0", "af", "at1", "at2"}));
    }
}

TEST_F(FilterStageTest, EmptiesTheOldEngineBeforeTheNewOneBegins) {
    begin(false);
    FilterStage filter = stage(3, {.encoder = true});
    run_->hook = [&](StageId, std::int64_t item) {
        if (item == 2) {
            filter.replace_engine(std::make_unique<FakeEngine>("b", 3, log_));
        }
    };
    for (int i = 0; i < 3; ++i) {
        route_->decoded.send(frame(i));
    }
    route_->decoded.close();
    filter.run();
    EXPECT_EQ(log_, (std::vector<std::string>{"as0", "as1", "at0", "at1", "bs2", "bt2"}));
    EXPECT_EQ(filter.engine().name(), "b");
}

TEST_F(FilterStageTest, LeavesOutWhatIsTooLateButForASignOfLife) {
    begin(true);
    FilterStage filter = stage(1, {.encoder = true}, 50);
    run_->hook = [&](StageId, std::int64_t item) {
        if (item < 2) {
            route_->decoded.send(frame(item + 1, Stamps::Clock::now() - 200ms));
        } else {
            route_->decoded.close();
        }
    };
    route_->decoded.send(frame(0, Stamps::Clock::now() - 200ms));
    filter.run();
    EXPECT_EQ(log_, (std::vector<std::string>{"as0", "at0"})) << "one in a second";
    EXPECT_EQ(run_->drops.so_far()[Drop::shed], 2);
}

TEST_F(FilterStageTest, TellsWhatASlowEncoderDoesNotTake) {
    begin(true);
    FilterStage filter = stage(1, {.encoder = true});
    constexpr auto pictures = static_cast<std::int64_t>(recorded_ahead) + 3;
    const auto long_ago = Stamps::Clock::now() - 1h;  // so that nothing is waited for
    run_->hook = [&](StageId, std::int64_t item) {
        if (item + 1 < pictures) {
            route_->decoded.send(frame(item + 1, long_ago));
        } else {
            route_->decoded.close();
        }
    };
    route_->decoded.send(frame(0, long_ago));
    filter.run();
    EXPECT_EQ(run_->drops.so_far()[Drop::unrecorded], 3);
    EXPECT_EQ(filtered().size(), recorded_ahead);
}

TEST_F(FilterStageTest, AWindowSeesFilteredAndOriginalAndHoldsUpNoRecording) {
    begin(false);
    Channel<Frame> window(1);
    FilterStage filter = stage(1, {.encoder = true, .window = &window});
    for (int i = 0; i < 3; ++i) {
        route_->decoded.send(frame(i));
    }
    route_->decoded.close();
    filter.run();
    EXPECT_EQ(run_->drops.so_far()[Drop::unseen], 2);
    const std::optional<Frame> seen = window.receive();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->index, 2) << "the newest";
    EXPECT_TRUE(seen->original);
    EXPECT_EQ(filtered(), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST_F(FilterStageTest, EndsWithTheWindowThatPacesIt) {
    begin(false);
    Channel<Frame> window(1);
    FilterStage filter = stage(1, {.window = &window, .window_paces = true});
    route_->decoded.send(frame(0));
    route_->decoded.send(frame(1));
    window.cancel();
    filter.run();
    EXPECT_EQ(log_, (std::vector<std::string>{"as0", "at0"}));
}

TEST_F(FilterStageTest, ThrowsAwayWhatIsInsideOnceItIsCancelled) {
    begin(false);
    FilterStage filter = stage(3, {.encoder = true});
    run_->hook = [&](StageId, std::int64_t) {
        run_->cancelled = true;
        route_->decoded.cancel();
    };
    route_->decoded.send(frame(0));
    filter.run();
    EXPECT_EQ(log_, (std::vector<std::string>{"as0"}));
}

}  // namespace
}  // namespace vfilter
