#pragma once
// Runs of sources that do not wait: what was recorded, and what a starved machine left out.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/end_to_end.h"
#include "tests/support/stopwatch.h"

namespace vfilter::test {

class Live : public EndToEnd {
protected:
    static constexpr std::chrono::milliseconds limit{40'000};

    // ffmpeg as a camera: pictures and sound in real time.
    [[nodiscard]] static std::string sender(double seconds, const std::string& output) {
        return fmt::format(
            "exec ffmpeg -nostdin -v error -re -f lavfi -i testsrc2=s=160x120:r=25:d={0} -re -f lavfi -i "
            "sine=r=48000:d={0} -c:v libx264 -preset ultrafast -tune zerolatency -g 5 -c:a aac {1}",
            seconds, output);
    }
    // Pictures of a live source that a starved machine left out, as it has to and tells.
    [[nodiscard]] std::size_t left_out(const std::string& report) const {
        const nlohmann::json drops = json_of(report).at("drops");
        return drops.at("undecoded").get<std::size_t>() + drops.at("overtaken").get<std::size_t>() +
               drops.at("unrecorded").get<std::size_t>();
    }
    // What was recorded is whole, and its time rises from 0.
    std::vector<double> expect_recording(const std::string& name, const std::string& report) const {
        const nlohmann::json told = json_of(report);
        const nlohmann::json& drops = told.at("drops");
        EXPECT_EQ(told.at("frames").at("in"), told.at("frames").at("out").get<int>() +
                                                  drops.at("overtaken").get<int>() + drops.at("unrecorded").get<int>());
        std::vector<double> times = picture_times(name);
        EXPECT_EQ(std::ssize(times), told.at("frames").at("out"));
        EXPECT_EQ(ffmpeg_complaints(name, "", "-fps_mode passthrough -enc_time_base:v 1:1000000"), "");
        EXPECT_EQ(parts().size(), 0U);
        if (!times.empty()) {
            constexpr double longest_picture = 0.05;  // where the first ones were left out
            EXPECT_LE(times.front(), longest_picture * static_cast<double>(left_out(report)));
            EXPECT_TRUE(std::ranges::adjacent_find(times, std::greater_equal()) == times.end());
        }
        return times;
    }
    static double seconds_since(std::chrono::steady_clock::time_point begin) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    // The longest time from one picture to the next.
    static double longest_gap(const std::vector<double>& times) {
        double gap = 0;
        for (std::size_t i = 1; i < times.size(); ++i) {
            gap = std::max(gap, times[i] - times[i - 1]);
        }
        return gap;
    }
    // Pictures that a run with --progress json 2> told.txt has told of so far, with those that it had to leave out.
    [[nodiscard]] std::ptrdiff_t told_frames(bool left_out_too = false) const {
        std::ptrdiff_t frames = 0;
        std::ifstream told(path("told.txt"));
        for (std::string line; std::getline(told, line);) {
            const nlohmann::json progress = nlohmann::json::parse(line, nullptr, false);
            if (progress.is_object()) {
                frames = progress.at("frames").get<std::ptrdiff_t>() +
                         (left_out_too ? progress.at("dropped").get<std::ptrdiff_t>() : 0);
            }
        }
        return frames;
    }
    // A starved machine may need long for them.
    void wait_until_told(Command& command, std::ptrdiff_t frames, bool left_out_too = false) const {
        constexpr std::chrono::seconds patience{60};
        const auto end = std::chrono::steady_clock::now() + patience;
        while (command.running() && told_frames(left_out_too) < frames && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    // How often a run with 2> told.txt has said these words.
    [[nodiscard]] int times_told(const std::string& words) const {
        int found = 0;
        const std::string told = content("told.txt");
        for (std::size_t at = told.find(words); at != std::string::npos; at = told.find(words, at + 1)) {
            ++found;
        }
        return found;
    }
    // Until it has said them more often than that.
    bool wait_until_told_again(Command& command, const std::string& words, int than) const {
        while (command.running() && times_told(words) <= than) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return times_told(words) > than;
    }
    // The pictures that came: those that were recorded, and those that were left out.
    [[nodiscard]] std::size_t pictures_given() const {
        return expect_recording("out.mkv", "r.json").size() + left_out("r.json");
    }
};

}  // namespace vfilter::test
