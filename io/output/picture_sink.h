#pragma once
// Where encoded pictures go individually, without a container around them.

#include <cstdint>
#include <span>

namespace vfilter {

/// One thread, unless stated otherwise.
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
