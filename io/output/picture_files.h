#pragma once
// The files of an output sequence, each of which appears only when complete.

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/output/picture_sink.h"
#include "io/picture_names.h"

namespace vfilter {

/// Names are generated here, by counting. Every picture is a separate file, written by OutputFile: a .part, synced,
/// read again, renamed. One thread, unless stated otherwise.
class PictureFiles final : public PictureSink {
public:
    /// `overwrite` applies to each name. `given_up` as for OutputFile.
    PictureFiles(PictureNames names, std::int64_t first_number, Overwrite overwrite, std::function<bool()> given_up);

    /// Before the first one is written: none of `count` names may exist if it may not be replaced; 0 if the number is
    /// unknown, for all from the first on. Reports what a killed run has left. Throws Error(output).
    void check_names(std::int64_t count) const;
    /// Writes the next picture. Throws Error(output).
    void write(std::span<const std::uint8_t> bytes) override;
    /// After the last one: reports which pictures of an earlier, longer sequence follow it.
    void tell_older() const;

    /// Any thread.
    [[nodiscard]] std::int64_t bytes() const override { return bytes_; }
    [[nodiscard]] std::int64_t count() const { return count_; }
    /// Where the first picture is, once it is written.
    [[nodiscard]] std::string first_path() const { return names_.path(first_); }

private:
    void tell_leftovers() const;

    PictureNames names_;
    std::int64_t first_;
    Overwrite overwrite_;
    std::function<bool()> given_up_;
    std::atomic<std::int64_t> bytes_{0};
    std::atomic<std::int64_t> count_{0};
};

}  // namespace vfilter
