#pragma once
// An engine without filters, for pictures of any format; used if a chain ends with a libavfilter graph.

#include <optional>
#include <string>
#include <utility>

#include "pipeline/engine/filter_engine.h"

namespace vfilter {

class PassingEngine : public FilterEngine {
public:
    void submit(Frame frame) override { inside_ = std::move(frame); }
    Frame take() override { return *std::exchange(inside_, std::nullopt); }
    [[nodiscard]] std::size_t in_flight() const override { return inside_ ? 1 : 0; }
    [[nodiscard]] std::size_t slots() const override { return 1; }
    [[nodiscard]] std::string name() const override { return "libavfilter"; }

private:
    std::optional<Frame> inside_;
};

}  // namespace vfilter
