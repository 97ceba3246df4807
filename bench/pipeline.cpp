// What each part of a run can do alone, what the whole reaches, and what other programs do with the same video.

#include "bench/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "bench/clip.h"

namespace vfilter::bench {

namespace {

// A key that is a file's name as well.
std::string file_name_of(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return text;
}

// As many pictures as make a run of some seconds on this machine.
int frames_for(const Wishes& wishes, int height) {
    const double processors =
        wishes.threads > 0 ? wishes.threads : static_cast<double>(std::thread::hardware_concurrency());
    const double at_1080 = wishes.quick ? 120 : std::clamp(processors * 150, 480.0, 2400.0);
    return static_cast<int>(at_1080 * std::min(1.5, 1080.0 / height * 1080.0 / height));
}

std::vector<int> heights_of(const Wishes& wishes) {
    const bool all = wishes.heights.empty() || wishes.heights.size() == 3;
    return !all ? wishes.heights : wishes.quick ? std::vector{720} : std::vector{720, 1080, 2160};
}

int count_frames(const std::string& clip, int threads) {
    const auto device = choose_device("cpu", threads);
    VideoSource source(clip, *device, threads);
    int count = 0;
    while (source.next()) {
        ++count;
    }
    return count;
}

}  // namespace

double Contest::limit(const Leg& leg) const {
    double least = 0;
    const auto found = limits_.find(leg.key);
    if (found != limits_.end()) {
        for (const std::string& part : found->second) {
            const double value = fps(part);
            least = value > 0 && (least == 0 || value < least) ? value : least;
        }
    } else if (leg.key.starts_with("cuda ") || leg.key == "one stream") {
        least = fps("copies");
    }
    return least;
}

std::vector<std::string> Contest::sentences() const {
    std::vector<std::string> list;
    const Filtering& filtering = filterings()[1];
    const double decode = fps("decode");
    const double encode = fps("encode");
    // A GPU comes first: it is what one wants to know of.
    // NOLINTNEXTLINE(modernize-loop-convert): clang 14 has no reversed views
    for (auto at = devices_.rbegin(); at != devices_.rend(); ++at) {
        const Device& device = *at;
        const double filter = fps(device.name + " " + filtering.name);
        const double whole = fps(device.name + " whole file " + filtering.name);
        if (decode <= 0 || encode <= 0 || filter <= 0 || whole <= 0) {
            continue;
        }
        const double slowest = std::min({decode, encode, filter});
        const char* const bound = slowest == encode ? "encode" : slowest == decode ? "decode" : "filter";
        std::string text =
            fmt::format("{} on {}, {}: {}-bound, {:.0f} fps", name_, device.name, filtering.name, bound, whole);
        if (device.cuda && filter > slowest) {
            text += fmt::format(": the filter could be {:.0f} times heavier for free.", filter / slowest);
        } else if (filter > slowest) {
            // They share the processors, so that what the filter takes is missing elsewhere.
            text += fmt::format("; of the three the filter takes {:.0f} % of the time.",
                                100 / filter / (1 / decode + 1 / encode + 1 / filter));
        } else {
            text += fmt::format(": the codecs could do {:.0f} fps.", std::min(decode, encode));
        }
        list.push_back(text);
        // Without a filter the encoder has other pictures to work on, so that nothing is said of that ratio.
        if (const double theirs = fps("ffmpeg file filtered"); theirs > 0) {
            list.push_back(fmt::format("{} on {}: {:.1f} times as fast as ffmpeg with {} into the same encoder.", name_,
                                       device.name, whole / theirs, filtering.ffmpeg));
        }
    }
    return list;
}

void Contest::tell(Section& section) const {
    Table table;
    table.key = "pipeline_" + file_name_of(name_);
    table.title = fmt::format("{}, {} pictures", name_, frames_);
    table.text =
        "Limit: the slowest of the parts that a whole is made of, each alone on the whole machine; of a GPU's filter "
        "the "
        "copies of its pictures. Parts that share the processors cannot all reach theirs, and blurred pictures are "
        "quicker "
        "to encode than those that the encoder alone had. A whole is a process from its start to its end.";
    table.columns = {{"what", "What", "", 3},
                     {"with", "With", "", 3},
                     {"fps", "Pictures per second", "fps", 4},
                     {"ms", "For each picture", "ms", 3},
                     {"share", "Of its limit", "%", 3}};
    Plot plot;
    plot.key = table.key;
    plot.title = name_;
    plot.x = {"", false};
    plot.y = {"pictures per second", false};
    Series ours{"vfilter", {}, true};
    Series others{"ffmpeg", {}, false};
    for (const Leg& leg : legs_) {
        if (leg.fps.empty()) {
            section.left_out.push_back({name_ + ", " + leg.what + ", " + leg.with, leg.failure});
            continue;
        }
        const Spread spread = spread_of(leg.fps);
        const double most = limit(leg);
        table.rows.push_back(
            {{leg.what, leg.with, spread, 1000 / spread.median, most > 0 ? Cell(100 * spread.median / most) : Cell()},
             leg.ours});
        const bool whole = leg.what.starts_with("whole");
        if (whole || leg.key == "decode" || leg.key == "encode") {
            const double place = static_cast<double>(plot.categories.size());
            plot.categories.push_back(whole ? leg.what + " (" + leg.with + ")" : leg.what);
            (leg.with == "ffmpeg" ? others : ours).points.push_back({place, spread.median});
        }
    }
    plot.series = {ours, others};
    std::erase_if(plot.series, [](const Series& series) { return series.points.empty(); });
    section.plots.push_back(std::move(plot));
    section.tables.push_back(std::move(table));
    for (std::string& sentence : sentences()) {
        section.sentences.push_back(std::move(sentence));
    }
    // A small picture is over before the GPU's streams overlap, and a short run is mostly its start.
    if (wishes_.quick || devices_.front().pictures->format.height < 1080) {
        return;
    }
    const auto promise = [&](const std::string& what, double measured, double other, double least) {
        if (measured > 0 && other > 0) {
            section.promises.push_back({name_ + ": " + what, measured / other, least, true});
        }
    };
    const std::string g5 = filterings()[0].name;
    const std::string g31 = filterings()[1].name;
    promise("GPU engine, gaussian 5 / copies", fps("cuda " + g5), fps("copies"), 0.85);
    promise("GPU engine, gaussian 5 / one stream", fps("cuda " + g5), fps("one stream"), 1.7);
    for (const std::string& filtering : {g31, filterings()[2].name}) {
        promise("GPU, to nowhere, " + filtering + " / no filter", fps("cuda whole null " + filtering),
                fps("cuda whole null"), 0.97);
    }
    promise("GPU, to x264, no filter / ffmpeg without a filter", fps("cuda whole file"), fps("ffmpeg file"), 0.97);
    promise("CPU, to nowhere, gaussian 5 / ffmpeg without a filter", fps("cpu whole null " + g5), fps("ffmpeg null"),
            0.87);
    promise("CPU, to nowhere, gaussian 31 / ffmpeg without a filter", fps("cpu whole null " + g31), fps("ffmpeg null"),
            0.74);
}

Section measure_pipeline(const Wishes& wishes, Progress& progress) {
    Section section;
    section.key = "pipeline";
    section.title = "Whole runs, and what binds them";
    section.text =
        "A video is decoded, filtered and encoded: each alone, from memory to memory, then all together as a user has "
        "it, beside ffmpeg with and without its Gaussian blur. Medians of several rounds in turn; the JSON has the "
        "lowest and the highest.";
    if (!is_there("ffmpeg")) {
        section.left_out.push_back({"ffmpeg", "it is not installed"});
    }
    const TemporaryFolder folder;
    const std::string vfilter = (std::filesystem::path(wishes.program).parent_path() / "vfilter").string();
    if (!is_there(vfilter)) {
        throw std::runtime_error("vfilter is not beside vfilter-bench: " + vfilter);
    }
    const auto contest = [&](const std::string& name, const std::string& clip, int frames) {
        Contest all(wishes, name, clip, frames);
        progress.plan(all.steps());
        all.run(progress);
        all.tell(section);
    };
    if (!wishes.clip.empty()) {
        contest(std::filesystem::path(wishes.clip).filename().string(), wishes.clip,
                count_frames(wishes.clip, wishes.threads));
        return section;
    }
    for (const int height : heights_of(wishes)) {
        const int frames = frames_for(wishes, height);
        const std::string clip = folder / fmt::format("{}p.mp4", height);
        progress.plan(1);
        progress.step(fmt::format("making a clip, {}p, {} pictures", height, frames));
        make_clip(vfilter, clip, height, frames);
        contest(fmt::format("{}p", height), clip, frames);
        std::filesystem::remove(clip);
    }
    return section;
}

}  // namespace vfilter::bench
