#pragma once
// Several devices for one video: its pictures are distributed to them in turn.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// Pictures go to the engines in turn and come out in their original order. The engines are created for the same
/// filters and format, and each result depends only on its own picture, so the bytes are the same as from any one of
/// them.
class RoundRobinEngine : public FilterEngine {
public:
    /// At least one.
    explicit RoundRobinEngine(std::vector<std::unique_ptr<FilterEngine>> engines);

    void submit(Frame frame) override;
    Frame take() override;
    [[nodiscard]] std::size_t in_flight() const override;
    [[nodiscard]] std::size_t slots() const override;
    /// The GPUs of all engines, as each gets pictures from all of them; empty if one accepts only its own.
    [[nodiscard]] std::vector<int> gpus() const override;
    [[nodiscard]] FramePtr on_host(const AVFrame& picture) override {
        return members_.front().engine->on_host(picture);
    }
    [[nodiscard]] std::string name() const override;
    /// Those of the first engine, and any others that differ: devices of different kinds have different kernels.
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

/// These devices as one; only the first one for filters that read several pictures. Memory for pictures comes from the
/// first one and must be equally suitable for all: page-locked memory is allocated as portable.
class DeviceGroup : public FilterDevice {
public:
    enum class Wanted {
        all,             ///< failure to create an engine on any of them is an error
        those_that_work  ///< a failing one is left out, which note() reports
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
    mutable std::string note_;         ///< guarded by mutex_
    mutable std::vector<bool> fails_;  ///< which have failed to create an engine; guarded by mutex_
};

}  // namespace vfilter
