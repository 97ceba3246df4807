// Whether exit code 0 can be believed: whole files of many containers are damaged in many ways, and the pictures that
// come out of the program are counted against those of the whole file. `damage_runs --help` says how it is called.
//
// Every run is named by its container and a number, the seed: the same clips give the same damage on every machine with
// the same encoders.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include <libavutil/log.h>
}

#include "tests/damage/damaged_file.h"
#include "tests/damage/trials.h"

namespace vfilter::test {

namespace {

namespace fs = std::filesystem;

void work_through(std::vector<Trial>& trials, unsigned jobs, const std::function<void(Trial&)>& work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < jobs; ++i) {
        threads.emplace_back([&] {
            for (std::size_t at = next++; at < trials.size(); at = next++) {
                try {
                    work(trials[at]);
                } catch (const std::exception& error) {
                    trials[at].verdict = Verdict::failure;
                    trials[at].text += (trials[at].text.empty() ? "" : ": ") + std::string(error.what());
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

using Counts = std::array<int, 8>;

/// So much of the pictures of files with each damage is saved, on the mean of all containers: it is 0.77, 0.71, 0.94,
/// 0.72, 0.69, 0.80, 0.96, 0.86 and 0.76 with a small clip of damage.sh's scenes.
constexpr std::array<double, damages> least_saved{0.65, 0.55, 0.85, 0.55, 0.55, 0.65, 0.9, 0.7, 0.6};
constexpr double most_refused = 0.2;

/// An exit code that is honest may still be one of a program that gives up. Gives how many damages have too little.
std::size_t tell_too_little(const std::vector<Trial>& trials) {
    std::size_t count = 0;
    for (std::size_t damage = 0; damage < damages; ++damage) {
        double runs = 0;
        double refused = 0;
        double saved = 0;
        for (const Trial& trial : trials) {
            if (static_cast<std::size_t>(damage_of(trial.seed)) == damage) {
                ++runs;
                refused += trial.verdict == Verdict::three ? 1 : 0;
                saved += trial.saved;
            }
        }
        const bool little = saved < least_saved[damage] * runs || refused > most_refused * runs;
        std::cout << fmt::format("{:<16}{:.3f} of the pictures saved, {:.3f} of the files refused{}\n",
                                 damage_names[damage], saved / runs, refused / runs, little ? ": TOO LITTLE" : "");
        count += little ? 1 : 0;
    }
    return count;
}

void print_table(const std::string& title, const std::vector<std::pair<std::string, Counts>>& rows) {
    std::cout << fmt::format("{:<16}{:>6}{:>9}{:>11}{:>6}{:>6}{:>13}{:>7}{:>10}\n", title, "runs", "0 whole",
                             "0 changed", "5", "3", "no evidence", "LIES", "failures");
    for (const auto& row : rows) {
        const Counts& counts = row.second;
        const auto at = [&](Verdict verdict) { return counts[static_cast<std::size_t>(verdict)]; };
        std::cout << fmt::format("{:<16}{:>6}{:>9}{:>11}{:>6}{:>6}{:>13}{:>7}{:>10}\n", row.first,
                                 std::accumulate(counts.begin(), counts.end(), 0), at(Verdict::whole),
                                 at(Verdict::changed), at(Verdict::five), at(Verdict::three), at(Verdict::untellable),
                                 at(Verdict::lie), at(Verdict::failure));
    }
    std::cout << '\n';
}

void print_tables(const std::vector<Trial>& trials) {
    std::map<std::string, Counts> by_container;
    std::map<std::string, Counts> by_damage;
    Counts all{};
    for (const Trial& trial : trials) {
        const auto verdict = static_cast<std::size_t>(trial.verdict);
        ++by_container[trial.container->name][verdict];
        ++by_damage[damage_names[static_cast<std::size_t>(damage_of(trial.seed))]][verdict];
        ++all[verdict];
    }
    std::vector<std::pair<std::string, Counts>> rows;
    for (const Container& container : containers) {
        if (by_container.contains(container.name)) {
            rows.emplace_back(container.name, by_container[container.name]);
        }
    }
    rows.emplace_back("all", all);
    print_table("container", rows);
    rows.clear();
    for (const char* const name : damage_names) {
        if (by_damage.contains(name)) {
            rows.emplace_back(name, by_damage[name]);
        }
    }
    print_table("damage", rows);
}

std::string name_of(const Trial& trial) {
    if (trial.seed == 0) {
        return trial.container->name;
    }
    return fmt::format("{}:{} {}", trial.container->name, trial.seed,
                       damage_names[static_cast<std::size_t>(damage_of(trial.seed))]);
}

int run_all(const Settings& settings) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Trial> wholes;
    std::vector<Trial> trials;
    Trials runs(settings);
    for (const Container& container : containers) {
        for (unsigned seed = 1; seed <= damages * settings.rounds; ++seed) {
            if (settings.only.empty() || settings.only == fmt::format("{}:{}", container.name, seed)) {
                trials.push_back({&container, clip_of(seed, settings), seed, Verdict::failure, ""});
            }
        }
        for (std::size_t clip = 0; clip < settings.clips.size(); ++clip) {
            const bool used = std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) {
                return trial.container == &container && trial.clip == clip;
            });
            if (used) {
                wholes.push_back({&container, clip, 0, Verdict::failure, ""});
                runs.add(wholes.back());
            }
        }
    }
    if (trials.empty()) {
        throw std::invalid_argument(fmt::format("there is no run {}", settings.only));
    }
    work_through(wholes, settings.jobs, [&](Trial& trial) { runs.begin(trial); });
    work_through(trials, settings.jobs, [&](Trial& trial) { runs.damage(trial); });

    print_tables(trials);
    std::size_t lies = 0;
    std::size_t alarms = 0;
    std::size_t failures = 0;
    const auto tell = [&](const std::vector<Trial>& list, Verdict verdict, const char* word) {
        std::size_t count = 0;
        for (const Trial& trial : list) {
            if (trial.verdict == verdict) {
                ++count;
                std::cout << fmt::format("{} {}: {}\n", word, name_of(trial), trial.text);
            }
        }
        return count;
    };
    lies += tell(trials, Verdict::lie, "LIE");
    alarms += tell(wholes, Verdict::false_alarm, "FALSE ALARM");
    failures += tell(wholes, Verdict::failure, "FAILURE");
    failures += tell(trials, Verdict::failure, "FAILURE");
    if (!settings.only.empty()) {
        for (const Verdict verdict :
             {Verdict::whole, Verdict::changed, Verdict::five, Verdict::three, Verdict::untellable}) {
            tell(trials, verdict, "honest:");
        }
    }
    if (settings.only.empty() && lies + failures > 0) {
        std::cout << "One of them again, its files kept: --only CONTAINER:SEED --keep FOLDER\n";
    }
    failures += settings.only.empty() ? tell_too_little(trials) : 0;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::cout << fmt::format("{:.0f} s, {} at a time\n", seconds.count(), settings.jobs)
              << fmt::format("{} runs, {} lies, {} false alarms, {} failures\n", trials.size(), lies, alarms, failures);
    return lies + alarms + failures == 0 ? 0 : 1;
}

constexpr const char* usage =
    "damage_runs [--rounds N] [--jobs N] [--times N] [--only NAME [--keep FOLDER]] [--no-evidence] VFILTER CLIP...\n"
    "\n"
    "Of each clip pieces are written in many containers, damaged, and filtered. It is a lie if vfilter then ends with "
    "0\n"
    "while pictures are missing, and a false alarm if it does not end with 0 after a piece that nobody damaged.\n"
    "\n"
    "  --rounds N       so many runs of each container and damage, each of the next clip (3, or the number of clips)\n"
    "  --jobs N         so many at once (2)\n"
    "  --times N        each damaged file is filtered so many times and the worst end counts (1): threads may differ\n"
    "  --only NAME      the one run of which a line of the list told, given the same clips: mkv_h264:14\n"
    "  --keep FOLDER    put its files there: whole.*, damaged.*, out.mkv, r.json, said.txt\n"
    "  --no-evidence    print which damages are not counted as lies, and why\n"
    "\n"
    "Exit code: 0, 1 if there was a lie, a false alarm or a failure, 2 if it could not be found out.\n";

void print_no_evidence() {
    for (const NoEvidence& entry : no_evidence) {
        std::cout << fmt::format("{:<12} {:<14} {}\n", entry.container.empty() ? "all" : entry.container,
                                 damage_names[static_cast<std::size_t>(entry.damage)], entry.reason);
    }
}

/// Where a piece of 5 s from the middle of the clip begins; 0 of a shorter clip.
double middle_of(const fs::path& clip) {
    const Result result =
        run_command("ffprobe -v error -show_entries format=duration -of csv=p=0 " + quoted(clip), fs::current_path());
    if (result.code != 0) {
        throw std::invalid_argument(fmt::format("{} cannot be read: {}", clip.string(), result.err));
    }
    return std::max(0.0, (std::atof(result.out.c_str()) - 5) / 2);
}

int run(const std::vector<std::string>& arguments) {
    Settings settings;
    bool rounds_given = false;
    std::vector<fs::path> files;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            std::cout << usage;
            return 0;
        }
        if (argument == "--no-evidence") {
            print_no_evidence();
            return 0;
        }
        if (!argument.starts_with("--")) {
            files.push_back(fs::absolute(argument));
            continue;
        }
        if (++i == arguments.size()) {
            throw std::invalid_argument(argument + " needs a value");
        }
        if (argument == "--rounds") {
            settings.rounds = static_cast<unsigned>(std::stoul(arguments[i]));
            rounds_given = true;
        } else if (argument == "--jobs") {
            settings.jobs = std::max(1U, static_cast<unsigned>(std::stoul(arguments[i])));
        } else if (argument == "--times") {
            settings.times = std::max(1U, static_cast<unsigned>(std::stoul(arguments[i])));
        } else if (argument == "--only") {
            settings.only = arguments[i];
        } else if (argument == "--keep") {
            settings.keep = fs::absolute(arguments[i]);
        } else {
            throw std::invalid_argument("there is no option " + argument);
        }
    }
    if (files.size() < 2) {
        throw std::invalid_argument("it needs the program and at least one clip");
    }
    if (!settings.keep.empty() && settings.only.empty()) {
        throw std::invalid_argument("--keep needs --only");
    }
    settings.program = files.front();
    settings.clips.assign(files.begin() + 1, files.end());
    for (const fs::path& clip : settings.clips) {
        settings.starts.push_back(middle_of(clip));
    }
    if (!rounds_given) {
        settings.rounds = std::max(settings.rounds, static_cast<unsigned>(settings.clips.size()));
    }
    if (!settings.only.empty()) {
        settings.rounds = 1000;
    }
    return run_all(settings);
}

}  // namespace

}  // namespace vfilter::test

int main(int count, char** arguments) {
    av_log_set_level(AV_LOG_QUIET);
    try {
        return vfilter::test::run({arguments + 1, arguments + count});
    } catch (const std::exception& error) {
        std::cerr << "damage_runs: " << error.what() << '\n' << "damage_runs --help says how it is called\n";
        return 2;
    }
}
