#pragma once
// Trials: one container and one damage each, filtered by the program and judged by the pictures that come out.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/damage/containers.h"
#include "tests/support/command.h"
#include "tests/support/folder.h"

namespace vfilter::test {

/// From good to bad.
enum class Verdict { whole, changed, five, three, untellable, lie, false_alarm, failure };

struct Trial {
    const Container* container = nullptr;
    std::size_t clip = 0;
    unsigned seed = 0;  ///< 0 is the whole file, and one that was copied packet by packet
    Verdict verdict = Verdict::failure;
    std::string text;
    double saved = 0;  ///< the share of the whole file's pictures that came out, as they were or changed
};

struct Settings {
    std::filesystem::path program;
    std::vector<std::filesystem::path> clips;
    std::vector<double> starts;  ///< where in the clip the piece begins
    unsigned rounds = 3;
    unsigned jobs = 2;
    unsigned times = 1;  ///< each damaged file is filtered, the worst counts
    std::string only;
    std::filesystem::path keep;
};

/// What damage a seed stands for, and which of the clips it takes.
Damage damage_of(unsigned seed);
std::size_t clip_of(unsigned seed, const Settings& settings);

/// A folder for each container and clip, with the whole file and its pictures. After all add() have returned, begin()
/// and then damage() may be called by several threads, for one trial each. What goes wrong with files and commands is
/// thrown as std::runtime_error.
class Trials {
public:
    explicit Trials(const Settings& settings) : settings_(settings) {}

    /// Makes room for the pictures of the trial's container and clip.
    void add(const Trial& trial) { whole(trial); }
    /// Makes the whole file and judges it: it is no damaged one, and its pictures are as many as ffprobe decodes.
    void begin(Trial& trial);
    /// Damages a copy of the whole file and judges what comes of it.
    void damage(Trial& trial);

private:
    /// What the program makes of a file.
    struct Outcome {
        Result result;
        std::vector<std::size_t> pictures;
        std::string failure;  ///< "" if it ended in a way that it may
    };

    [[nodiscard]] std::filesystem::path folder_of(const Trial& trial) const;
    std::vector<std::size_t>& whole(const Trial& trial) { return wholes_[{trial.container, trial.clip}]; }
    [[nodiscard]] Outcome run_program(const std::string& input, const std::filesystem::path& folder) const;
    static void judge_whole(Trial& trial, const Outcome& outcome, std::size_t wanted, const std::string& what);
    void judge_damaged(Trial& trial, const Outcome& outcome);

    const Settings& settings_;
    Folder folder_;
    std::map<std::pair<const Container*, std::size_t>, std::vector<std::size_t>> wholes_;
};

}  // namespace vfilter::test
