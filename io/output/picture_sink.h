#pragma once
// Where each encoded picture goes by itself, without a container around them all.

#include <cstdint>
#include <span>

namespace vfilter {

/// One thread, but for what says otherwise.
class PictureSink {
public:
    PictureSink() = default;
    virtual ~PictureSink() = default;
    PictureSink(const PictureSink&) = delete;
    PictureSink& operator=(const PictureSink&) = delete;

    /// The next picture. Throws Error(output).
    virtual void write(std::span<const std::uint8_t> bytes) = 0;
    /// Any thread.
    [[nodiscard]] virtual std::int64_t bytes() const = 0;
};

}  // namespace vfilter
