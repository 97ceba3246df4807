// docs/from-ffmpeg.md: each row of its tables has a command of ffmpeg's and ours, which are run and compared.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/clip_store.h"
#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

struct FfmpegRow {
    std::string number;
    std::string theirs;
    std::string ours;
    std::set<std::string> compared;
};

// For GoogleTest's lists of parameters.
std::ostream& operator<<(std::ostream& stream, const FfmpegRow& row) {
    return stream << row.number;
}

// "| one | two |" -> {"one", "two"}; a | inside of a cell is written \|. GoogleTest wants the rows in each of the
// processes in which these tests are run one by one: a regular expression would take most of their time.
std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::string cell;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line.compare(i, 2, "\\|") == 0) {
            cell += line[++i];
        } else if (line[i] != '|') {
            cell += line[i];
        } else {
            cells.push_back(cell.size() > 2 ? cell.substr(1, cell.size() - 2) : "");
            cell.clear();
        }
    }
    if (!cells.empty()) {
        cells.erase(cells.begin());
    }
    return cells;
}

std::string command_of(const std::string& cell) {
    const bool quoted = cell.size() > 2 && cell.front() == '`' && cell.back() == '`';
    return quoted ? cell.substr(1, cell.size() - 2) : "";
}

// Cells of "| 1 | `ffmpeg ...` | `vfilter ...` | pixels, pts |".
std::vector<FfmpegRow> rows_of_page() {
    std::ifstream page(VFILTER_SOURCE "/docs/from-ffmpeg.md");
    std::vector<FfmpegRow> rows;
    for (std::string line; std::getline(page, line);) {
        const std::vector<std::string> cells = cells_of(line);
        constexpr std::size_t count = 4;
        const bool row = cells.size() == count && !command_of(cells[1]).empty() && !command_of(cells[2]).empty();
        if (!row) {
            EXPECT_FALSE(line.starts_with("| ") && line.find('`') != std::string::npos) << "no row: " << line;
            continue;
        }
        FfmpegRow& added = rows.emplace_back(FfmpegRow{cells[0], command_of(cells[1]), command_of(cells[2]), {}});
        std::istringstream words(cells[3]);
        for (std::string word; std::getline(words >> std::ws, word, ',');) {
            added.compared.insert(word);
        }
    }
    return rows;
}

// What the commands read, each made if a row names it: ffmpeg's arguments.
struct FfmpegClip {
    std::string_view name;
    std::string arguments;
};

constexpr std::string_view picture = "-f lavfi -i testsrc2=s=160x120:r=25:d=2 ";
constexpr std::string_view sound = "-f lavfi -i sine=r=48000:d=2 ";
constexpr std::string_view coded = "-c:v libx264 -preset ultrafast -bf 3 -g 12 -pix_fmt yuv420p -c:a aac ";
constexpr const char* subtitles = "s.srt";

std::vector<FfmpegClip> recipes() {
    const std::string usual = fmt::format("{}{}{}", picture, sound, coded);
    return {
        {"in.mp4", usual + "-metadata title=Old -metadata:s:a language=eng in.mp4"},
        {"second.mp4", usual + "second.mp4"},
        {"silent.mp4", fmt::format("{}{}-an silent.mp4", picture, coded)},
        {"mix.wav", fmt::format("{}mix.wav", sound)},
        {"in.mkv", usual + "in.mkv"},
        {"in.mov", usual + "in.mov"},
        {"in.ts", usual + "in.ts"},
        {"in.y4m", fmt::format("{} -pix_fmt yuv420p in.y4m", picture)},
        {"in.yuv", fmt::format("{} -pix_fmt yuv422p -f rawvideo in.yuv", picture)},
        {"subs.mkv", fmt::format("{}{}-i {} -map 0 -map 1 -map 2 {} subs.mkv", picture, sound, subtitles, coded)},
        {"words.srt", fmt::format("-i {} words.srt", subtitles)},
        {"two.mkv", fmt::format("{}{}-f lavfi -i testsrc=s=96x64:r=25:d=2 -map 0:v -map 2:v -map 1:a {} two.mkv",
                                picture, sound, coded)},
        {"interlaced.mkv",
         fmt::format("{} -vf tinterlace=interleave_top,setfield=tff -c:v ffv1 interlaced.mkv", picture)},
        {"frame_", fmt::format("{} -frames:v 10 frame_%03d.png", picture)},
        {"photo.png", fmt::format("{} -frames:v 1 photo.png", picture)},
    };
}

// Rows that share the clips they read, which are made once for them.
using FfmpegRows = std::vector<FfmpegRow>;

std::vector<FfmpegRows> groups_of_rows() {
    constexpr std::size_t most = 8;
    std::vector<FfmpegRows> groups;
    for (FfmpegRow& row : rows_of_page()) {
        if (groups.empty() || groups.back().size() == most) {
            groups.emplace_back();
        }
        groups.back().push_back(std::move(row));
    }
    return groups;
}

class FromFfmpeg : public EndToEnd, public testing::WithParamInterface<FfmpegRows> {
protected:
    void make_inputs(const FfmpegRows& rows) const;
    void run_row(const FfmpegRow& row) const;

    // Runs a line in a folder of its own, in which the inputs lie. Gives the names of the files that it made.
    std::vector<std::string> run_in(const std::string& place, const std::string& line) const {
        // The two programs as a person has set them up: no questions, nothing said. Ours writes the same bytes whenever
        // it writes the same file, so that those of two lines are compared without being decoded.
        const bool pictures = line.find("shot_%") != std::string::npos;  // files that no muxer writes
        const Result result = run(fmt::format(
            "set -e -o pipefail; cp -r inputs {0}; cd {0}; ffmpeg() {{ command ffmpeg -nostdin -v error -y \"$@\"; }}; "
            "vfilter() {{ \"${{VFILTER_KEPT:-$VFILTER}}\" -y --log-level warning --progress none {2} \"$@\"; }}; {1}",
            place, line, pictures ? "" : "--muxer-option fflags=+bitexact"));
        EXPECT_EQ(result.code, 0) << result;
        std::vector<std::string> made;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path(place))) {
            const std::string name = std::filesystem::relative(entry.path(), path(place)).string();
            const bool hidden = entry.path().filename().string().starts_with('.');  // a batch's journal
            if (entry.is_regular_file() && !hidden && !exists("inputs/" + name)) {
                made.push_back(name);
            }
        }
        std::ranges::sort(made);
        return made;
    }

    struct Seen {
        Media media;
        std::vector<std::string> hashes;  // empty unless pixels are compared
        std::string samples;              // of the first sound, empty unless it is compared
    };
    // Both by one ffmpeg, as its start takes longer than the pictures.
    [[nodiscard]] std::pair<Seen, Seen> look_at(const std::string& one, const std::string& other,
                                                const std::set<std::string>& what) const;
    void expect_same_file(const std::string& ours, const std::string& words,
                          const std::set<std::string>& compared) const;
    static void compare(const Seen& theirs, const Seen& ours, const std::set<std::string>& what);
    [[nodiscard]] double psnr(const std::string& theirs, const std::string& ours) const;
};

std::vector<std::string> kinds_of(const Media& media) {
    std::vector<std::string> kinds;
    for (const Stream& stream : media.streams) {
        kinds.push_back(stream.type());
    }
    std::ranges::sort(kinds);
    return kinds;
}

std::vector<std::string> codecs_of(const Media& media) {
    std::vector<std::string> codecs;
    for (const Stream& stream : media.streams) {
        codecs.push_back(fmt::format("{} {} {}x{} {}", stream.type(), stream.codec(), stream.facts.value("width", 0),
                                     stream.facts.value("height", 0), stream.facts.value("pix_fmt", "")));
    }
    std::ranges::sort(codecs);
    return codecs;
}

// ffmpeg moves all streams of some containers where the sound begins before 0.
std::vector<double> from_the_first(std::vector<double> times) {
    const double first = times.empty() ? 0 : times.front();
    std::ranges::for_each(times, [first](double& time) { time -= first; });
    return times;
}

double FromFfmpeg::psnr(const std::string& theirs, const std::string& ours) const {
    const Result result = run(fmt::format(
        "ffmpeg -nostdin -v info -i '{}' -i '{}' -lavfi '[0:v]settb=1,setpts=N[a];[1:v]settb=1,setpts=N[b];[a][b]psnr' "
        "-f null - 2>&1 | grep -o 'average:[^ ]*'",
        theirs, ours));
    const std::string value = result.out.substr(std::min(result.out.size(), result.out.find(':') + 1));
    return value.starts_with("inf") ? 100 : value.empty() ? 0 : std::stod(value);
}

std::pair<FromFfmpeg::Seen, FromFfmpeg::Seen> FromFfmpeg::look_at(const std::string& one, const std::string& other,
                                                                  const std::set<std::string>& what) const {
    std::array<Seen, 2> seen{Seen{probe(one), {}, ""}, Seen{probe(other), {}, ""}};
    std::string outputs;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        outputs +=
            what.contains("pixels") ? fmt::format(" -map {0}:V:0 -fps_mode passthrough -f framemd5 md5.{0}", i) : "";
        outputs += what.contains("sound") ? fmt::format(" -map {0}:a:0 -f s16le sound.{0}", i) : "";
    }
    if (!outputs.empty()) {
        ffmpeg(fmt::format("-i '{}' -i '{}'{}", one, other, outputs));
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (what.contains("pixels")) {
            seen[i].hashes = hashes_in(content(fmt::format("md5.{}", i)));
        }
        if (what.contains("sound")) {
            seen[i].samples = content(fmt::format("sound.{}", i));
        }
    }
    return {std::move(seen[0]), std::move(seen[1])};
}

void FromFfmpeg::compare(const Seen& theirs, const Seen& ours, const std::set<std::string>& what) {
    const Media& wanted = theirs.media;
    const Media& seen = ours.media;
    if (what.contains("frames")) {
        EXPECT_EQ(seen.pictures.size(), wanted.pictures.size());
    }
    if (what.contains("pixels")) {
        EXPECT_EQ(ours.hashes, theirs.hashes);
        EXPECT_FALSE(seen.pictures.empty());
    }
    if (what.contains("sound")) {
        EXPECT_FALSE(ours.samples.empty());
        EXPECT_TRUE(ours.samples == theirs.samples);
    }
    if (what.contains("pts")) {
        const double coarser = std::max(wanted.of("video").at(0).tick, seen.of("video").at(0).tick);
        EXPECT_TRUE(same_seconds(from_the_first(wanted.pictures), from_the_first(seen.pictures), coarser + exactly));
    }
    if (what.contains("streams")) {
        EXPECT_EQ(kinds_of(seen), kinds_of(wanted));
    }
    if (what.contains("codecs")) {
        EXPECT_EQ(codecs_of(seen), codecs_of(wanted));
    }
    if (what.contains("tags")) {
        for (const char* const tag : {"title", "comment", "location"}) {
            EXPECT_EQ(seen.tag(tag), wanted.tag(tag)) << tag;
        }
        EXPECT_EQ(seen.of("video").at(0).facts.value("codec_tag_string", ""),
                  wanted.of("video").at(0).facts.value("codec_tag_string", ""));
    }
}

void FromFfmpeg::make_inputs(const FfmpegRows& rows) const {
    std::filesystem::create_directory(path("inputs"));
    for (const FfmpegClip& recipe : recipes()) {
        if (std::ranges::any_of(rows, [&](const FfmpegRow& row) {
                return (row.theirs + row.ours).find(recipe.name) != std::string::npos;
            })) {
            if (recipe.arguments.find(subtitles) != std::string::npos) {
                write(fmt::format("inputs/{}", subtitles), "1\n00:00:00,000 --> 00:00:01,000\nwords\n");
            }
            const Result made = run_ffmpeg(recipe.arguments, path("inputs"));
            ASSERT_EQ(made.code, 0) << made;
            std::filesystem::remove(path("inputs") / subtitles);
        }
    }
}

void FromFfmpeg::run_row(const FfmpegRow& row) const {
    const std::set<std::string> known{"frames", "pixels", "pts",  "sound", "streams",
                                      "codecs", "tags",   "near", "runs",  "same words"};
    EXPECT_TRUE(std::ranges::includes(known, row.compared));
    for (const char* const place : {"theirs", "ours", "words"}) {
        std::filesystem::remove_all(path(place));
    }
    const std::vector<std::string> theirs = run_in("theirs", row.theirs);
    const std::vector<std::string> ours = run_in("ours", row.ours);
    ASSERT_EQ(ours, theirs);
    EXPECT_TRUE(!ours.empty() || row.compared.contains("runs"));
    for (const std::string& name : ours) {
        SCOPED_TRACE(name);
        const auto [wanted, seen] = look_at("theirs/" + name, "ours/" + name, row.compared);
        compare(wanted, seen, row.compared);
        if (row.compared.contains("near")) {
            constexpr double decibels = 30;
            EXPECT_GT(psnr("theirs/" + name, "ours/" + name), decibels);
        }
    }
    if (row.compared.contains("same words")) {
        ASSERT_EQ(run_in("words", std::regex_replace(row.theirs, std::regex("^ffmpeg "), "vfilter ")), ours);
        for (const std::string& name : ours) {
            SCOPED_TRACE("the same words: " + name);
            expect_same_file("ours/" + name, "words/" + name, row.compared);
        }
    }
}

void FromFfmpeg::expect_same_file(const std::string& ours, const std::string& words,
                                  const std::set<std::string>& compared) const {
    ASSERT_GT(std::filesystem::file_size(path(ours)), 0U);
    if (content(words) == content(ours)) {
        return;
    }
    // A rate that is aimed at depends on how threads meet.
    const bool exact = compared.contains("pixels") || compared.contains("near");
    const std::set<std::string> what{"frames", exact ? "pixels" : "frames", "pts", "codecs", "tags"};
    const auto [wanted, seen] = look_at(ours, words, what);
    compare(wanted, seen, what);
}

TEST_P(FromFfmpeg, MakesTheSame) {
    make_inputs(GetParam());
    for (const FfmpegRow& row : GetParam()) {
        SCOPED_TRACE(fmt::format("row {}: {}", row.number, row.theirs));
        run_row(row);
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, FromFfmpeg, testing::ValuesIn(groups_of_rows()),
                         [](const auto& rows) { return "From" + rows.param.front().number; });

}  // namespace

}  // namespace vfilter::test
