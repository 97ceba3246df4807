#include "tests/support/end_to_end.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/support/clip_store.h"

namespace vfilter::test {

namespace {

void need(const Result& result, int code = 0) {
    if (result.code != code) {
        std::ostringstream text;
        text << result;
        throw std::runtime_error(text.str());
    }
}

// ffprobe writes numbers as numbers or as text, and leaves unknown ones out.
std::optional<std::int64_t> number(const nlohmann::json& from, const char* key) {
    const auto found = from.find(key);
    if (found == from.end()) {
        return std::nullopt;
    }
    return found->is_string() ? std::stoll(found->get<std::string>()) : found->get<std::int64_t>();
}

/// Whether a run holds its lock on an unfinished file.
bool being_written(const std::filesystem::path& part) {
    const int file = open(part.c_str(), O_RDONLY | O_CLOEXEC);
    const bool locked = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0;
    close(file);
    return locked;
}

double tick_of(const std::string& rational) {
    const std::size_t slash = rational.find('/');
    return std::stod(rational.substr(0, slash)) / std::stod(rational.substr(slash + 1));
}

Packet packet_from(const nlohmann::json& from) {
    const std::string flags = from.value("flags", "");
    Packet packet;
    packet.pts = number(from, "pts");
    packet.dts = number(from, "dts");
    packet.duration = number(from, "duration").value_or(0);
    packet.size = number(from, "size").value_or(0);
    packet.key = flags.find('K') != std::string::npos;
    packet.discarded = flags.find('D') != std::string::npos;
    packet.hash = from.value("data_hash", "");
    return packet;
}

std::vector<Packet> in_order_of_time(std::vector<Packet> packets) {
    std::ranges::stable_sort(packets, {}, &Packet::pts);
    return packets;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

// Containers differ in the case of keys.
std::string tag_of(const nlohmann::json& facts, const std::string& key) {
    const nlohmann::json tags = facts.value("tags", nlohmann::json::object());
    for (const auto& [name, value] : tags.items()) {
        if (lower(name) == lower(key)) {
            return value.get<std::string>();
        }
    }
    return "";
}

}  // namespace

std::string Stream::tag(const std::string& key) const {
    return tag_of(facts, key);
}

std::string Media::tag(const std::string& key) const {
    return tag_of(format, key);
}

bool Stream::has_disposition(const std::string& name) const {
    return facts.value("disposition", nlohmann::json::object()).value(name, 0) != 0;
}

nlohmann::json Stream::side_data(const std::string& type) const {
    for (const nlohmann::json& data : facts.value("side_data_list", nlohmann::json::array())) {
        if (data.value("side_data_type", "") == type) {
            return data;
        }
    }
    return nullptr;
}

std::vector<std::string> Stream::hashes() const {
    std::vector<std::string> list;
    std::ranges::transform(packets, std::back_inserter(list), &Packet::hash);
    return list;
}

std::vector<double> Stream::times() const {
    std::vector<double> list;
    for (const Packet& packet : in_order_of_time(packets)) {
        list.push_back(packet.pts ? static_cast<double>(*packet.pts) * tick : std::numeric_limits<double>::quiet_NaN());
    }
    return list;
}

std::vector<double> Stream::durations() const {
    std::vector<double> list;
    for (const Packet& packet : in_order_of_time(packets)) {
        list.push_back(static_cast<double>(packet.duration) * tick);
    }
    return list;
}

Stream Stream::shown() const {
    Stream result = *this;
    std::erase_if(result.packets, &Packet::discarded);
    return result;
}

std::vector<Stream> Media::of(const std::string& type) const {
    std::vector<Stream> found;
    std::ranges::copy_if(streams, std::back_inserter(found), [&](const Stream& stream) {
        return stream.type() == type && !(type == "video" && stream.has_disposition("attached_pic"));
    });
    return found;
}

Stream Media::video() const {
    const std::vector<Stream> found = of("video");
    if (found.size() != 1) {
        throw std::runtime_error(fmt::format("{} video streams instead of one", found.size()));
    }
    return found.front();
}

testing::AssertionResult same_seconds(const std::vector<double>& wanted, const std::vector<double>& seen,
                                      double tolerance) {
    if (wanted.size() != seen.size()) {
        return testing::AssertionFailure() << seen.size() << " instead of " << wanted.size();
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!(std::abs(wanted[i] - seen[i]) <= tolerance)) {
            return testing::AssertionFailure() << "number " << i << " of " << wanted.size() << " is " << seen[i]
                                               << " s instead of " << wanted[i] << " s";
        }
    }
    return testing::AssertionSuccess();
}

EndToEnd::EndToEnd() {
    setenv("VFILTER", VFILTER_BINARY, 1);
    // What a person has set up for vfilter is not what is tested.
    setenv("XDG_CONFIG_HOME", path("no configuration").c_str(), 1);
    unsetenv("VFILTER_SIMD");
}

Result EndToEnd::run(const std::string& line) const {
    return run_command(line, folder());
}

Result EndToEnd::vfilter(const std::string& arguments) const {
    return run(std::string("exec ") + kept + arguments);
}

nlohmann::json EndToEnd::filter(const std::string& arguments, Damage damage) const {
    // Not in the test's folder: tests look at what is there.
    const Folder elsewhere;
    const Result result =
        vfilter(fmt::format("-y --progress none --report {}/report {}", elsewhere.path().string(), arguments));
    constexpr int damaged = 5;
    const bool may_be = damage == Damage::possible && result.code == damaged;
    need(result, damage == Damage::expected || may_be ? damaged : 0);
    std::ifstream file(elsewhere.path() / "report");
    nlohmann::json report = nlohmann::json::parse(file);
    if (report.at("frames").at("in") != report.at("frames").at("out") || report.at("frames").at("in") == 0) {
        throw std::runtime_error(report.dump());
    }
    report["stderr"] = lines_of(result.err);
    return report;
}

void EndToEnd::ffmpeg(const std::string& arguments) const {
    need(run_ffmpeg(arguments, folder()));
}

std::string EndToEnd::ffmpeg_complaints(const std::string& name, const std::string& before,
                                        const std::string& behind) const {
    const Result result =
        run(fmt::format("ffmpeg -nostdin -v error -xerror {} -i 'file:{}' {} -f null -", before, name, behind));
    return result.code == 0 ? result.err : fmt::format("{} (exit code {})", result.err, result.code);
}

std::string EndToEnd::ffmpeg_output(const std::string& arguments) const {
    Result result = run("ffmpeg -nostdin -v error " + arguments);
    need(result);
    return std::move(result.out);
}

void EndToEnd::make_clip(const std::string& name, int frames, const std::string& more) const {
    const double seconds = frames / 25.0;
    ffmpeg(fmt::format(
        "-f lavfi -i testsrc2=s=160x120:r=25:d={0} -f lavfi -i sine=r=48000:d={0} -c:v libx264 -preset veryfast "
        "-bf 3 -g 12 -pix_fmt yuv420p -c:a aac {1} {2}",
        seconds, more, name));
}

Media EndToEnd::probe(const std::string& name) const {
    // Of packets and pictures what is taken below: all of it would be ten times as much to write and to parse.
    const Result result = run(fmt::format(
        "ffprobe -v error -show_data_hash md5 -of json=compact=1 -show_entries format:stream:chapter:"
        "packet=stream_index,pts,dts,duration,size,flags,data_hash:frame=stream_index,best_effort_timestamp '{}'",
        name));
    need(result);
    const nlohmann::json all = nlohmann::json::parse(result.out);
    // Decoders may complain, of what came damaged already; of the container nobody.
    const std::string container = fmt::format("[{} @", all.at("format").value("format_name", ""));
    EXPECT_TRUE(name.starts_with("in") || result.err.find(container) == std::string::npos)
        << result.err.substr(0, 1000) << name;
    Media media{.format = all.at("format"),
                .chapters = all.value("chapters", nlohmann::json::array()),
                .streams = {},
                .pictures = {}};
    for (const nlohmann::json& facts : all.at("streams")) {
        media.streams.push_back({.facts = facts, .packets = {}, .tick = tick_of(facts.at("time_base"))});
    }
    const std::vector<Stream> videos = media.of("video");
    for (const nlohmann::json& item : all.value("packets_and_frames", nlohmann::json::array())) {
        if (item.at("type") == "packet") {
            media.streams.at(item.at("stream_index").get<std::size_t>()).packets.push_back(packet_from(item));
        } else if (!videos.empty() &&
                   item.value("stream_index", nlohmann::json()) == videos.front().facts.at("index")) {
            const std::optional<std::int64_t> time = number(item, "best_effort_timestamp");
            media.pictures.push_back(time ? static_cast<double>(*time) * videos.front().tick
                                          : std::numeric_limits<double>::quiet_NaN());
        }
    }
    return media;
}

std::vector<std::string> EndToEnd::picture_hashes(const std::string& name, const std::string& more) const {
    return hashes_in(
        ffmpeg_output(fmt::format("-i '{}' -map 0:V:0 -fps_mode passthrough {} -f framemd5 -", name, more)));
}

std::vector<std::string> EndToEnd::hashes_in(const std::string& framemd5) {
    // 0, 40, 40, 1, 28800, md5
    std::vector<std::string> hashes;
    for (const std::string& line : lines_of(framemd5)) {
        if (!line.starts_with('#')) {
            hashes.push_back(line.substr(line.rfind(' ') + 1));
        }
    }
    return hashes;
}

std::string EndToEnd::content(const std::string& name) const {
    return content_of(path(name));
}

void EndToEnd::write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
}

nlohmann::json EndToEnd::json_of(const std::string& name) const {
    return nlohmann::json::parse(content(name));
}

std::vector<std::string> EndToEnd::names() const {
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        list.push_back(entry.path().filename().string());
    }
    std::ranges::sort(list);
    return list;
}

void EndToEnd::wait_for_part(Command& command, std::uintmax_t bytes) const {
    constexpr std::chrono::seconds limit{40};
    const auto end = std::chrono::steady_clock::now() + limit;
    while (command.running() && std::chrono::steady_clock::now() < end) {
        for (const std::string& part : parts()) {
            std::error_code gone;
            if (std::filesystem::file_size(path(part), gone) >= bytes && !gone && being_written(path(part))) {
                return;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
}

std::vector<std::string> EndToEnd::parts() const {
    std::vector<std::string> list = names();
    std::erase_if(list, [](const std::string& name) { return !name.ends_with(".part"); });
    return list;
}

}  // namespace vfilter::test
