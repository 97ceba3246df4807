#include "tests/damage/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/damage/damaged_file.h"

namespace vfilter::test {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

struct Difference {
    std::size_t missing = 0;
    std::size_t changed = 0;
};

/// A picture is missing if it did not come out, and no changed one did in its place. One that came out twice stands for
/// no other.
Difference compare(const std::vector<std::size_t>& whole, const std::vector<std::size_t>& out) {
    std::map<std::size_t, std::ptrdiff_t> left;
    for (const std::size_t picture : whole) {
        ++left[picture];
    }
    Difference difference;
    for (const std::size_t picture : out) {
        const auto found = left.find(picture);
        if (found == left.end()) {
            ++difference.changed;
        } else {
            --found->second;
        }
    }
    std::size_t gone = 0;
    for (const auto& [picture, count] : left) {
        gone += static_cast<std::size_t>(std::max<std::ptrdiff_t>(count, 0));
    }
    difference.missing = gone - std::min(gone, difference.changed);
    return difference;
}

}  // namespace

Damage damage_of(unsigned seed) {
    return static_cast<Damage>((seed - 1) % damages);
}

std::size_t clip_of(unsigned seed, const Settings& settings) {
    return (seed - 1) / damages % settings.clips.size();
}

fs::path Trials::folder_of(const Trial& trial) const {
    return folder_.path() / fmt::format("{}_{}", trial.container->name, trial.clip);
}

Trials::Outcome Trials::run_program(const std::string& input, const fs::path& folder) const {
    Outcome outcome;
    outcome.result = run_command(fmt::format("{} {} out.mkv -y --codec rawvideo --device cpu --box 3 --report r.json "
                                             "--progress none",
                                             quoted(settings_.program), input),
                                 folder, 30s);
    const int code = outcome.result.code;
    if (code != 0 && code != 3 && code != 5) {
        outcome.failure = code == -1 ? "it did not end" : fmt::format("exit code {}", code);
        return outcome;
    }
    if (code == 3) {
        return outcome;
    }
    outcome.pictures = video_packets(folder / "out.mkv");
    const auto told = nlohmann::json::parse(read_file(folder / "r.json")).at("frames").at("out").get<std::size_t>();
    if (told != outcome.pictures.size()) {
        outcome.failure = fmt::format("{} pictures written, {} told", outcome.pictures.size(), told);
    }
    return outcome;
}

void Trials::begin(Trial& trial) {
    const fs::path folder = folder_of(trial);
    fs::create_directories(folder);
    make_whole(*trial.container, settings_.clips[trial.clip], settings_.starts[trial.clip], folder);
    const std::string file = fmt::format("whole.{}", trial.container->extension);
    const Result count = run_command(
        "ffprobe -v error -select_streams v:0 -count_frames -show_entries "
        "stream=nb_read_frames -of csv=p=0 " +
            file,
        folder);
    const auto wanted = static_cast<std::size_t>(std::atoi(count.out.c_str()));
    const Outcome outcome = run_program(file, folder);
    judge_whole(trial, outcome, wanted, "the whole file");
    whole(trial) = outcome.pictures;
    if (trial.verdict != Verdict::whole) {
        return;
    }
    drop_packets(*trial.container, "0", folder);
    fs::rename(folder / fmt::format("damaged.{}", trial.container->extension),
               folder / fmt::format("copied.{}", trial.container->extension));
    judge_whole(trial, run_program(fmt::format("copied.{}", trial.container->extension), folder), wanted,
                "a copy packet by packet of the whole file");
}

void Trials::damage(Trial& trial) {
    const fs::path from = folder_of(trial);
    const fs::path folder = from / std::to_string(trial.seed);
    const std::string name = fmt::format("whole.{}", trial.container->extension);
    if (!fs::exists(from / name)) {
        trial.text = "there is no whole file";
        return;
    }
    fs::create_directories(folder);
    fs::create_hard_link(from / name, folder / name);
    trial.text = damage_whole(*trial.container, damage_of(trial.seed), trial.seed, folder);
    const Trial begun = trial;
    Outcome outcome;
    std::map<int, unsigned> codes;
    for (unsigned i = 0; i < settings_.times; ++i) {
        Outcome next = run_program(fmt::format("damaged.{}", trial.container->extension), folder);
        ++codes[next.result.code];
        Trial judged = begun;
        judge_damaged(judged, next);
        if (i == 0 || judged.verdict > trial.verdict) {
            trial = std::move(judged);
            outcome = std::move(next);
        }
    }
    if (codes.size() > 1) {
        for (const auto& [code, count] : codes) {
            trial.text += fmt::format(", {} {} times", code, count);
        }
    }
    if (settings_.keep.empty()) {
        fs::remove_all(folder);
        return;
    }
    std::ostringstream said;
    said << outcome.result << trial.text << '\n';
    fs::create_directories(settings_.keep);
    fs::copy(folder, settings_.keep, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    write_file(settings_.keep / "said.txt", said.str());
}

void Trials::judge_whole(Trial& trial, const Outcome& outcome, std::size_t wanted, const std::string& what) {
    trial.verdict = Verdict::whole;
    if (!outcome.failure.empty() || outcome.result.code == 3) {
        trial.verdict = Verdict::failure;
        trial.text = fmt::format("{}: {}\n{}", what, outcome.failure, outcome.result.err);
    } else if (outcome.result.code == 5) {
        trial.verdict = Verdict::false_alarm;
        trial.text = fmt::format("{}: {}", what, outcome.result.err);
    } else if (outcome.pictures.size() != wanted) {
        trial.verdict = Verdict::failure;
        trial.text = fmt::format("{}: ffprobe decodes {} pictures, vfilter {}", what, wanted, outcome.pictures.size());
    }
}

void Trials::judge_damaged(Trial& trial, const Outcome& outcome) {
    if (!outcome.failure.empty()) {
        trial.verdict = Verdict::failure;
        trial.text += fmt::format(": {}\n{}", outcome.failure, outcome.result.err);
        return;
    }
    if (outcome.result.code == 3) {
        trial.verdict = Verdict::three;
        return;
    }
    const Difference difference = compare(whole(trial), outcome.pictures);
    trial.text += fmt::format(": {} of {} pictures missing, {} came out, {} of them changed", difference.missing,
                              whole(trial).size(), outcome.pictures.size(), difference.changed);
    if (!whole(trial).empty()) {
        trial.saved = 1 - static_cast<double>(difference.missing) / static_cast<double>(whole(trial).size());
    }
    if (outcome.result.code == 5) {
        trial.verdict = Verdict::five;
    } else if (difference.missing > 0) {
        trial.verdict =
            no_evidence_of(*trial.container, damage_of(trial.seed)) != nullptr ? Verdict::untellable : Verdict::lie;
    } else {
        trial.verdict = difference.changed > 0 ? Verdict::changed : Verdict::whole;
    }
}

}  // namespace vfilter::test
