#pragma once
// What tests of many files in one command share.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

class Batch : public EndToEnd {
protected:
    // Bytes of an unfinished file that holds some, and not a header alone.
    static constexpr std::uintmax_t some_pictures = 2000;
    // Each file takes most of a second longer, without using the processor: there is time to come in its middle.
    static std::string slowly() { return fmt::format("LD_PRELOAD={} SLOW=avcodec_send_frame:20 ", VFILTER_STUCK); }

    void make_clips(int count, double seconds = 0.4, const std::string& size = "64x48") const {
        for (int i = 1; i <= count; ++i) {
            ffmpeg(
                fmt::format("-f lavfi -i testsrc2=s={2}:r=25:d={0} -metadata title={1} -c:v libx264 -preset "
                            "ultrafast c{1}.mp4",
                            seconds, i, size));
        }
    }
    // Unfinished files that hold so much.
    [[nodiscard]] std::ptrdiff_t parts_in(const std::string& name, std::uintmax_t bytes = 0) const {
        std::error_code error;
        return std::ranges::count_if(std::filesystem::directory_iterator(path(name), error), [&](const auto& entry) {
            std::error_code gone;
            return entry.path().filename().string().ends_with(".part") && entry.file_size(gone) >= bytes && !gone;
        });
    }
    // What became of each file, as a report tells.
    static std::vector<std::string> results_in(const nlohmann::json& report) {
        std::vector<std::string> list;
        for (const nlohmann::json& file : report.at("files")) {
            list.push_back(file.at("result"));
        }
        return list;
    }
    // A program that starts this one, and kills a child of it as a crash would.
    static std::string crash_when(const std::string& name) {
        return slowly() + fmt::format(
                              "$VFILTER c*.mp4 --output-dir done --gaussian 5 --threads 1 --keep-going -q --report "
                              "r.json & run=$!; "
                              "until [ -n \"$(ls done/.{}* 2> /dev/null)\" ] || ! kill -0 $run; do sleep 0.01; done; "
                              "kill -SEGV $(pgrep -P $run); wait $run",
                              name);
    }
};

}  // namespace vfilter::test
