#pragma once
// Several devices for one video: its pictures are dealt to them in turn.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// Pictures go to the engines in turn and come out in their order. The engines are made for the same filters and
/// format, and each picture's result depends on that picture alone, so the bytes are those of any one of them.
class RoundRobinEngine : public FilterEngine {
public:
    /// At least one.
    explicit RoundRobinEngine(std::vector<std::unique_ptr<FilterEngine>> engines);

    void submit(Frame frame) override;
    Frame take() override;
    [[nodiscard]] std::size_t in_flight() const override;
    [[nodiscard]] std::size_t slots() const override;
    /// All of the engines', as each gets pictures from all of them; none where one takes its own alone.
    [[nodiscard]] std::vector<int> gpus() const override;
    [[nodiscard]] FramePtr on_host(const AVFrame& picture) override {
        return members_.front().engine->on_host(picture);
    }
    [[nodiscard]] std::string name() const override;
    /// Of the first engine, and what others have besides: devices of different kinds have kernels of their own.
    [[nodiscard]] std::vector<std::string> kernels() const override;
    [[nodiscard]] EngineCounters counters() const override;
    [[nodiscard]] std::vector<StepCount> step_counts() const override;

private:
    struct Member {
        std::unique_ptr<FilterEngine> engine;
        std::int64_t pictures = 0;
    };

    std::vector<Member> members_;
    std::size_t next_ = 0;    // takes the next picture
    std::size_t oldest_ = 0;  // has the oldest one
};

/// Those devices as one; only the first one, for filters that look at several pictures. Memory for pictures is the
/// first one's, which has to be as good to all: page-locked memory is allocated portable.
class DeviceGroup : public FilterDevice {
public:
    enum class Wanted {
        all,             ///< one that has no engine is an error
        those_that_work  ///< it is left out, which note() says
    };
    /// At least one.
    DeviceGroup(std::vector<std::unique_ptr<FilterDevice>> devices, Wanted wanted, std::string note = {})
        : devices_(std::move(devices)), wanted_(wanted), note_(std::move(note)), fails_(devices_.size()) {}

    [[nodiscard]] PictureAllocator allocator() const override { return devices_.front()->allocator(); }
    [[nodiscard]] std::unique_ptr<FilterEngine> make_engine(const std::vector<FilterSpec>& filters,
                                                            const PictureFormat& format, FramePool& pool,
                                                            Trace* trace) const override;
    [[nodiscard]] std::string note() const override;
    /// Of those that are not left out.
    [[nodiscard]] std::vector<int> gpus() const override;

private:
    [[nodiscard]] bool fails(std::size_t number) const;

    std::vector<std::unique_ptr<FilterDevice>> devices_;
    Wanted wanted_;
    mutable std::mutex mutex_;
    mutable std::string note_;         ///< by mutex_
    mutable std::vector<bool> fails_;  ///< which have had no engine; by mutex_
};

}  // namespace vfilter
