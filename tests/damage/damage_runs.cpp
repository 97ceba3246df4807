// Whether exit code 0 can be believed: whole files of many containers are damaged in many ways, and the pictures that
// come out of the program are counted against those of the whole file. `damage_runs --help` says how it is called.
//
// Every run is told by its container and a number, the seed: the same clips give the same damage on every machine with
// the same encoders.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/handles.h"
#include "tests/support/command.h"

namespace vfilter::test {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// What is damaged, and how.

struct Container {
    const char* name = "";
    const char* extension = "";
    const char* codecs = "";  ///< of ffmpeg, for the whole file
    const char* format = "";  ///< of ffmpeg, for whatever writes this container
    const char* pictures = "fps=25,scale=320:180";
    bool piped = false;  ///< written where nothing can be corrected afterwards: no duration, no index
    const char* drop = "-c copy -copyinkf -bsf:v \"noise=drop='{}'\"";  ///< of ffmpeg, to leave out packets
};

#define H264 "-c:v libx264 -preset veryfast -crf 27 -g 30 -bf 2 "
#define AAC "-c:a aac -b:a 64k "
#define MP2 "-c:a mp2 -b:a 64k -ar 44100 "

constexpr std::array containers{
    Container{"mp4_h264", "mp4", H264 AAC, "-movflags +faststart"},
    Container{"mp4_index_last", "mp4", H264 AAC},
    Container{"mp4_fragments", "mp4", H264 AAC, "-movflags frag_keyframe+empty_moov+default_base_moof"},
    Container{"mov_mjpeg", "mov", "-c:v mjpeg -q:v 6 -pix_fmt yuvj420p -c:a pcm_s16le"},
    Container{"mkv_h264", "mkv", H264 AAC},
    Container{"mkv_piped", "mkv", H264 AAC, "-f matroska", "fps=25,scale=320:180", true},
    Container{"mkv_hevc", "mkv",
              "-c:v libx265 -preset ultrafast -g 30 -bf 2 -x265-params log-level=error:pools=1 " AAC},
    Container{"webm_vp8", "webm", "-c:v libvpx -deadline good -cpu-used 5 -b:v 300k -g 30 -c:a libvorbis"},
    Container{"webm_vp9", "webm", "-c:v libvpx-vp9 -deadline good -cpu-used 5 -b:v 300k -g 30 -c:a libopus"},
    Container{"avi_mpeg4", "avi", "-c:v mpeg4 -q:v 5 -g 30 -c:a mp3 -b:a 64k"},
    Container{"ts_h264", "ts", H264 AAC},
    Container{"ts_mpeg2", "ts", "-c:v mpeg2video -q:v 5 -g 15 -bf 2 " MP2},
    Container{"mpg_mpeg2", "mpg", "-c:v mpeg2video -q:v 5 -g 15 -bf 2 " MP2},
    Container{"ogg_theora", "ogv", "-c:v libtheora -q:v 5 -g 30 -c:a libvorbis"},
    Container{"flv_h264", "flv", H264 AAC},
    Container{"nut_mpeg4", "nut", "-c:v mpeg4 -q:v 5 -g 30 -bf 2 " MP2},
    Container{"ivf_vp8", "ivf", "-an -c:v libvpx -deadline good -cpu-used 5 -b:v 300k -g 30"},
    Container{"gif", "gif", "-an", "", "fps=12.5,scale=160:90"},
    Container{"y4m", "y4m", "-an", "", "fps=25,scale=160:90", false, "-vsync passthrough -vf \"select='not({})'\""},
};

enum class Damage { zeros, noise, bits, hole, tail, junk, packets, last_packets, first_packets };
constexpr std::array damage_names{"zeros", "noise",   "bits",         "hole",         "tail",
                                  "junk",  "packets", "last_packets", "first_packets"};
constexpr auto damages = static_cast<unsigned>(damage_names.size());

/// Damages that leave nothing in the file by which it could be told from a whole one. Not a list of excuses: what a
/// decoder or a container's checks could see does not belong here, even where they look for nothing today.
struct NoEvidence {
    std::string_view container;  ///< "" is any
    Damage damage;
    const char* reason;
};

constexpr std::array no_evidence{
    NoEvidence{"", Damage::last_packets,
               "written anew with headers that match; sound longer than pictures is ordinary"},
    NoEvidence{"mp4_h264", Damage::packets, "pictures on which none leans; the one before the gap is shown longer"},
    NoEvidence{"mp4_index_last", Damage::packets,
               "pictures on which none leans; the one before the gap is shown longer"},
    NoEvidence{"mp4_fragments", Damage::packets,
               "pictures on which none leans; the one before the gap is shown longer"},
    NoEvidence{"ogg_theora", Damage::packets,
               "a picture that repeats the one before has an empty packet, which copies leave out"},
    NoEvidence{"y4m", Damage::packets, "pictures without numbers or times"},
    NoEvidence{"y4m", Damage::first_packets, "pictures without numbers or times"},
    NoEvidence{"gif", Damage::packets, "the delay before the gap is longer, as that of any picture may be"},
    NoEvidence{"gif", Damage::first_packets, "every picture can be a first one"},
    NoEvidence{"mov_mjpeg", Damage::packets, "every picture stands alone; the one before the gap is shown longer"},
    NoEvidence{"mov_mjpeg", Damage::first_packets, "every picture stands alone; the pictures begin after the sound"},
    NoEvidence{"avi_mpeg4", Damage::packets,
               "the gap is filled with empty chunks: a recorder's sign for a picture skipped"},
    NoEvidence{"ivf_vp8", Damage::packets, "VP8 does not number its pictures; a pause as a camera leaves"},
};

const char* no_evidence_of(const Container& container, Damage damage) {
    for (const NoEvidence& entry : no_evidence) {
        if (entry.damage == damage && (entry.container.empty() || entry.container == container.name)) {
            return entry.reason;
        }
    }
    return nullptr;
}

// Files.

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad()) {
        throw std::runtime_error(fmt::format("cannot read {}", path.string()));
    }
    return content;
}

void write_file(const fs::path& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary);
    file << content;
    if (!file.flush()) {
        throw std::runtime_error(fmt::format("cannot write {}", path.string()));
    }
}

std::string quoted(const fs::path& path) {
    std::string text = "'";
    for (const char c : path.string()) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

void must(const std::string& line, const fs::path& folder) {
    const Result result = run_command(line, folder, 120s);
    if (result.code != 0) {
        std::ostringstream text;
        text << result;
        throw std::runtime_error(text.str());
    }
}

/// The packets of the first video, each by its hash; of uncompressed video they are the pictures.
std::vector<std::size_t> video_packets(const fs::path& path) {
    AVFormatContext* opened = nullptr;
    av_check(avformat_open_input(&opened, path.c_str(), nullptr, nullptr), "avformat_open_input");
    const auto close = [](AVFormatContext* context) { avformat_close_input(&context); };
    const std::unique_ptr<AVFormatContext, decltype(close)> input(opened, close);
    av_check(avformat_find_stream_info(opened, nullptr), "avformat_find_stream_info");
    const int stream = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    const PacketPtr packet = make_packet();
    std::vector<std::size_t> hashes;
    while (av_read_frame(opened, packet.get()) >= 0) {
        if (packet->stream_index == stream) {
            const std::span<const std::uint8_t> bytes(packet->data, static_cast<std::size_t>(packet->size));
            hashes.push_back(
                std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
        }
        av_packet_unref(packet.get());
    }
    return hashes;
}

// Making whole files and damaging them.

const std::string quiet_ffmpeg = "ffmpeg -nostdin -v error -y ";

std::string output_of(const Container& container, const std::string& name) {
    const std::string file = fmt::format("{}.{}", name, container.extension);
    return container.piped ? fmt::format("{} pipe:1 | cat > {}; exit ${{PIPESTATUS[0]}}", container.format, file)
                           : fmt::format("{} {}", container.format, file);
}

void make_whole(const Container& container, const fs::path& clip, double start, const fs::path& folder) {
    must(fmt::format("{} -threads 1 -ss {:.3f} -t 5 -i {} -map 0:v:0 -map 0:a:0? -sn -map_metadata -1 -vf {} -pix_fmt "
                     "{} -threads 1 {} -fflags +bitexact -flags:v +bitexact {}",
                     quiet_ffmpeg, start, quoted(clip), container.pictures,
                     container.name == std::string_view("gif") ? "rgb8" : "yuv420p", container.codecs,
                     output_of(container, "whole")),
         folder);
}

/// whole.X without some of its video's packets, as damaged.X.
void drop_packets(const Container& container, const std::string& which, const fs::path& folder) {
    must(fmt::format("{} -i whole.{} -map 0 {} -fflags +bitexact {}", quiet_ffmpeg, container.extension,
                     fmt::format(fmt::runtime(container.drop), which), output_of(container, "damaged")),
         folder);
}

class Random {
public:
    Random(const Container& container, unsigned seed) {
        std::uint32_t sum = 2166136261U;  // FNV-1a: the same everywhere, unlike std::hash
        for (const char c : std::string_view(container.name)) {
            sum = (sum ^ static_cast<unsigned char>(c)) * 16777619U;
        }
        generator_.seed(sum + seed);
    }
    /// From `low` to `high`, both included.
    std::size_t whole(std::size_t low, std::size_t high) { return low + generator_() % (high - low + 1); }
    double share(double low, double high) {
        return low + (high - low) * (static_cast<double>(generator_()) / 4294967295.0);
    }
    char byte() { return static_cast<char>(generator_()); }

private:
    std::mt19937 generator_;
};

/// Writes damaged.X beside whole.X and tells what was done.
std::string damage_whole(const Container& container, Damage damage, unsigned seed, const fs::path& folder) {
    const fs::path whole = folder / fmt::format("whole.{}", container.extension);
    Random random(container, seed);
    if (damage == Damage::packets || damage == Damage::last_packets || damage == Damage::first_packets) {
        const std::size_t count = video_packets(whole).size();
        std::size_t first = 0;
        std::size_t last = random.whole(0, 5);
        if (damage == Damage::packets) {
            first = random.whole(count / 5, count * 4 / 5);
            last = first + random.whole(0, 5);
        } else if (damage == Damage::last_packets) {
            first = count - random.whole(1, count / 3);
            last = count - 1;
        }
        drop_packets(container, fmt::format("between(n,{},{})", first, last), folder);
        return fmt::format("video packets {} to {} of {} dropped", first, last, count);
    }
    std::string bytes = read_file(whole);
    std::string told;
    const std::size_t size = bytes.size();
    const auto part = [&](double low, double high) {
        return std::max<std::size_t>(1, static_cast<std::size_t>(random.share(low, high) * static_cast<double>(size)));
    };
    if (damage == Damage::zeros || damage == Damage::noise) {
        const std::size_t places = random.whole(1, 3);
        const std::size_t length = std::max<std::size_t>(1, part(0.01, 0.05) / places);
        for (std::size_t i = 0; i < places; ++i) {
            const std::size_t at = random.whole(0, size - length);
            for (std::size_t k = at; k < at + length; ++k) {
                bytes[k] = damage == Damage::zeros ? '\0' : random.byte();
            }
            told += fmt::format("{} {} {} from {}", i == 0 ? "" : ",", length,
                                damage == Damage::zeros ? "zeros" : "random bytes", at);
        }
    } else if (damage == Damage::bits) {
        const std::size_t count = std::max<std::size_t>(3, size / 10000);
        for (std::size_t i = 0; i < count; ++i) {
            char& byte = bytes[random.whole(0, size - 1)];
            byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random.whole(0, 7)));
        }
        told = fmt::format("{} bits turned over", count);
    } else if (damage == Damage::hole) {
        const std::size_t length = part(0.01, 0.05);
        const std::size_t at = random.whole(size / 5, size * 4 / 5 - length);
        bytes.erase(at, length);
        told = fmt::format("{} bytes from {} cut out", length, at);
    } else if (damage == Damage::tail) {
        const std::size_t length = part(0.01, 0.30);
        bytes.resize(size - length);
        told = fmt::format("the last {} bytes cut off", length);
    } else {
        const std::size_t length = part(0.005, 0.03);
        const std::size_t at = random.whole(size / 20, size);
        std::string junk(length, '\0');
        std::generate(junk.begin(), junk.end(), [&] { return random.byte(); });
        bytes.insert(at, junk);
        told = fmt::format("{} random bytes put in at {}", length, at);
    }
    write_file(folder / fmt::format("damaged.{}", container.extension), bytes);
    return fmt::format("{}, of {} bytes", told.substr(told.find_first_not_of(' ')), size);
}

// What the program makes of it.

struct Outcome {
    Result result;
    std::vector<std::size_t> pictures;
    std::string failure;  ///< "" if it ended in a way that it may
};

Outcome run_program(const fs::path& program, const std::string& input, const fs::path& folder) {
    Outcome outcome;
    outcome.result = run_command(fmt::format("{} {} out.mkv -y --codec rawvideo --device cpu --box 3 --report r.json "
                                             "--progress none",
                                             quoted(program), input),
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

// All runs.

/// From good to bad.
enum class Verdict { whole, changed, five, three, untellable, lie, false_alarm, failure };

struct Task {
    const Container* container = nullptr;
    std::size_t clip = 0;
    unsigned seed = 0;  ///< 0 is the whole file, and one that was copied packet by packet
    Verdict verdict = Verdict::failure;
    std::string text;
};

struct Setting {
    fs::path program;
    std::vector<fs::path> clips;
    std::vector<double> starts;  ///< where in the clip the piece begins
    unsigned rounds = 3;
    unsigned jobs = 2;
    unsigned times = 1;  ///< each damaged file is filtered, the worst counts
    std::string only;
    fs::path keep;
};

Damage damage_of(unsigned seed) {
    return static_cast<Damage>((seed - 1) % damages);
}
std::size_t clip_of(unsigned seed, const Setting& setting) {
    return (seed - 1) / damages % setting.clips.size();
}

/// A folder for each container and clip, with the whole file and its pictures.
class Bench {
public:
    explicit Bench(const Setting& setting) : setting_(setting) {}

    /// Makes the whole file and looks at it: it is no damaged one, and its pictures are as many as ffprobe decodes.
    void begin(Task& task) {
        const fs::path folder = folder_of(task);
        fs::create_directories(folder);
        make_whole(*task.container, setting_.clips[task.clip], setting_.starts[task.clip], folder);
        const std::string file = fmt::format("whole.{}", task.container->extension);
        const Result count = run_command(
            "ffprobe -v error -select_streams v:0 -count_frames -show_entries "
            "stream=nb_read_frames -of csv=p=0 " +
                file,
            folder);
        const auto wanted = static_cast<std::size_t>(std::atoi(count.out.c_str()));
        const Outcome outcome = run_program(setting_.program, file, folder);
        judge_whole(task, outcome, wanted, "the whole file");
        whole(task) = outcome.pictures;
        if (task.verdict != Verdict::whole) {
            return;
        }
        drop_packets(*task.container, "0", folder);
        fs::rename(folder / fmt::format("damaged.{}", task.container->extension),
                   folder / fmt::format("copied.{}", task.container->extension));
        judge_whole(task, run_program(setting_.program, fmt::format("copied.{}", task.container->extension), folder),
                    wanted, "a copy packet by packet of the whole file");
    }

    void damage(Task& task) {
        const fs::path from = folder_of(task);
        const fs::path folder = from / std::to_string(task.seed);
        const std::string name = fmt::format("whole.{}", task.container->extension);
        if (!fs::exists(from / name)) {
            task.text = "there is no whole file";
            return;
        }
        fs::create_directories(folder);
        fs::create_hard_link(from / name, folder / name);
        task.text = damage_whole(*task.container, damage_of(task.seed), task.seed, folder);
        const Task begun = task;
        Outcome outcome;
        std::map<int, unsigned> codes;
        for (unsigned i = 0; i < setting_.times; ++i) {
            Outcome next = run_program(setting_.program, fmt::format("damaged.{}", task.container->extension), folder);
            ++codes[next.result.code];
            Task judged = begun;
            judge_damaged(judged, next);
            if (i == 0 || judged.verdict > task.verdict) {
                task = std::move(judged);
                outcome = std::move(next);
            }
        }
        if (codes.size() > 1) {
            for (const auto& [code, count] : codes) {
                task.text += fmt::format(", {} {} times", code, count);
            }
        }
        if (setting_.keep.empty()) {
            fs::remove_all(folder);
            return;
        }
        std::ostringstream said;
        said << outcome.result << task.text << '\n';
        fs::create_directories(setting_.keep);
        fs::copy(folder, setting_.keep, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
        write_file(setting_.keep / "said.txt", said.str());
    }

    /// Begun before any is looked at by several threads.
    void add(const Task& task) { whole(task); }

private:
    [[nodiscard]] fs::path folder_of(const Task& task) const {
        return folder_.path() / fmt::format("{}_{}", task.container->name, task.clip);
    }
    std::vector<std::size_t>& whole(const Task& task) { return wholes_[{task.container, task.clip}]; }

    static void judge_whole(Task& task, const Outcome& outcome, std::size_t wanted, const std::string& what) {
        task.verdict = Verdict::whole;
        if (!outcome.failure.empty() || outcome.result.code == 3) {
            task.verdict = Verdict::failure;
            task.text = fmt::format("{}: {}\n{}", what, outcome.failure, outcome.result.err);
        } else if (outcome.result.code == 5) {
            task.verdict = Verdict::false_alarm;
            task.text = fmt::format("{}: {}", what, outcome.result.err);
        } else if (outcome.pictures.size() != wanted) {
            task.verdict = Verdict::failure;
            task.text =
                fmt::format("{}: ffprobe decodes {} pictures, vfilter {}", what, wanted, outcome.pictures.size());
        }
    }

    void judge_damaged(Task& task, const Outcome& outcome) {
        if (!outcome.failure.empty()) {
            task.verdict = Verdict::failure;
            task.text += fmt::format(": {}\n{}", outcome.failure, outcome.result.err);
            return;
        }
        if (outcome.result.code == 3) {
            task.verdict = Verdict::three;
            return;
        }
        const Difference difference = compare(whole(task), outcome.pictures);
        task.text += fmt::format(": {} of {} pictures missing, {} came out, {} of them changed", difference.missing,
                                 whole(task).size(), outcome.pictures.size(), difference.changed);
        if (outcome.result.code == 5) {
            task.verdict = Verdict::five;
        } else if (difference.missing > 0) {
            task.verdict =
                no_evidence_of(*task.container, damage_of(task.seed)) != nullptr ? Verdict::untellable : Verdict::lie;
        } else {
            task.verdict = difference.changed > 0 ? Verdict::changed : Verdict::whole;
        }
    }

    const Setting& setting_;
    Folder folder_;
    std::map<std::pair<const Container*, std::size_t>, std::vector<std::size_t>> wholes_;
};

void work_through(std::vector<Task>& tasks, unsigned jobs, const std::function<void(Task&)>& work) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < jobs; ++i) {
        threads.emplace_back([&] {
            for (std::size_t at = next++; at < tasks.size(); at = next++) {
                try {
                    work(tasks[at]);
                } catch (const std::exception& error) {
                    tasks[at].verdict = Verdict::failure;
                    tasks[at].text += (tasks[at].text.empty() ? "" : ": ") + std::string(error.what());
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

using Counts = std::array<int, 8>;

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

void print_tables(const std::vector<Task>& tasks) {
    std::map<std::string, Counts> by_container;
    std::map<std::string, Counts> by_damage;
    Counts all{};
    for (const Task& task : tasks) {
        const auto verdict = static_cast<std::size_t>(task.verdict);
        ++by_container[task.container->name][verdict];
        ++by_damage[damage_names[static_cast<std::size_t>(damage_of(task.seed))]][verdict];
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

std::string name_of(const Task& task) {
    if (task.seed == 0) {
        return task.container->name;
    }
    return fmt::format("{}:{} {}", task.container->name, task.seed,
                       damage_names[static_cast<std::size_t>(damage_of(task.seed))]);
}

int run_all(const Setting& setting) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Task> wholes;
    std::vector<Task> tasks;
    Bench bench(setting);
    for (const Container& container : containers) {
        for (unsigned seed = 1; seed <= damages * setting.rounds; ++seed) {
            if (setting.only.empty() || setting.only == fmt::format("{}:{}", container.name, seed)) {
                tasks.push_back({&container, clip_of(seed, setting), seed, Verdict::failure, ""});
            }
        }
        for (std::size_t clip = 0; clip < setting.clips.size(); ++clip) {
            const bool used = std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) {
                return task.container == &container && task.clip == clip;
            });
            if (used) {
                wholes.push_back({&container, clip, 0, Verdict::failure, ""});
                bench.add(wholes.back());
            }
        }
    }
    if (tasks.empty()) {
        throw std::invalid_argument(fmt::format("there is no run {}", setting.only));
    }
    work_through(wholes, setting.jobs, [&](Task& task) { bench.begin(task); });
    work_through(tasks, setting.jobs, [&](Task& task) { bench.damage(task); });

    print_tables(tasks);
    std::size_t lies = 0;
    std::size_t alarms = 0;
    std::size_t failures = 0;
    const auto tell = [&](const std::vector<Task>& list, Verdict verdict, const char* word) {
        std::size_t count = 0;
        for (const Task& task : list) {
            if (task.verdict == verdict) {
                ++count;
                std::cout << fmt::format("{} {}: {}\n", word, name_of(task), task.text);
            }
        }
        return count;
    };
    lies += tell(tasks, Verdict::lie, "LIE");
    alarms += tell(wholes, Verdict::false_alarm, "FALSE ALARM");
    failures += tell(wholes, Verdict::failure, "FAILURE");
    failures += tell(tasks, Verdict::failure, "FAILURE");
    if (!setting.only.empty()) {
        for (const Verdict verdict :
             {Verdict::whole, Verdict::changed, Verdict::five, Verdict::three, Verdict::untellable}) {
            tell(tasks, verdict, "honest:");
        }
    }
    if (setting.only.empty() && lies + failures > 0) {
        std::cout << "One of them again, its files kept: --only CONTAINER:SEED --keep FOLDER\n";
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::cout << fmt::format("{:.0f} s, {} at a time\n", seconds.count(), setting.jobs)
              << fmt::format("{} runs, {} lies, {} false alarms, {} failures\n", tasks.size(), lies, alarms, failures);
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

/// Where a piece of 5 s from the middle of the clip begins.
double middle_of(const fs::path& clip) {
    const Result result =
        run_command("ffprobe -v error -show_entries format=duration -of csv=p=0 " + quoted(clip), fs::current_path());
    if (result.code != 0) {
        throw std::invalid_argument(fmt::format("{} cannot be read: {}", clip.string(), result.err));
    }
    return std::max(0.0, (std::atof(result.out.c_str()) - 5) / 2);
}

int run(const std::vector<std::string>& arguments) {
    Setting setting;
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
            setting.rounds = static_cast<unsigned>(std::stoul(arguments[i]));
            rounds_given = true;
        } else if (argument == "--jobs") {
            setting.jobs = std::max(1U, static_cast<unsigned>(std::stoul(arguments[i])));
        } else if (argument == "--times") {
            setting.times = std::max(1U, static_cast<unsigned>(std::stoul(arguments[i])));
        } else if (argument == "--only") {
            setting.only = arguments[i];
        } else if (argument == "--keep") {
            setting.keep = fs::absolute(arguments[i]);
        } else {
            throw std::invalid_argument("there is no option " + argument);
        }
    }
    if (files.size() < 2) {
        throw std::invalid_argument("it needs the program and at least one clip");
    }
    if (!setting.keep.empty() && setting.only.empty()) {
        throw std::invalid_argument("--keep needs --only");
    }
    setting.program = files.front();
    setting.clips.assign(files.begin() + 1, files.end());
    for (const fs::path& clip : setting.clips) {
        setting.starts.push_back(middle_of(clip));
    }
    if (!rounds_given) {
        setting.rounds = std::max(setting.rounds, static_cast<unsigned>(setting.clips.size()));
    }
    if (!setting.only.empty()) {
        setting.rounds = 1000;
    }
    return run_all(setting);
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
