#pragma once
// The main loop of the scans: what the next bytes are for, and where they are.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/input/evidence/container_scan.h"

namespace vfilter {

/// Goes through a file in steps, each a function of the scan. It is given the bytes that were requested, checks them,
/// and requests those for the next step, or stops; if it does neither it is given the same bytes again. Most containers
/// are a sequence of units (chunks, pages, packets): one step gets the beginning of each of them, others read what some
/// contain, and search for the next unit after damage.
template <typename Scan>
class SteppingScan : public ContainerScan {
public:
    void take(Bytes bytes) final { (static_cast<Scan*>(this)->*step_)(bytes); }

protected:
    using Step = void (Scan::*)(Bytes bytes);

    /// `unit` is given the first `size` bytes of each unit; one begins at the file's first byte.
    SteppingScan(Step unit, std::size_t size) : unit_(unit), unit_size_(size) { move_to(0); }

    /// The next unit begins there.
    void move_to(std::int64_t offset) { ask(offset, unit_size_, unit_); }
    void ask(std::int64_t offset, std::size_t size, Step step) {
        wish_for(offset, size);
        step_ = step;
    }
    /// What is here is damaged: `search` is given windows from the next byte on.
    void lose(std::string_view what, Step search) {
        fault(here(), what);
        ask(here() + 1, search_window, search);
    }
    [[nodiscard]] bool is_next(Step step) const { return step_ == step; }

private:
    Step unit_;
    std::size_t unit_size_;
    Step step_ = unit_;
};

}  // namespace vfilter
