#include "pipeline/report/report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/pipeline/report/outcomes.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;
using nlohmann::ordered_json;

std::vector<std::string> keys_of(const ordered_json& object) {
    std::vector<std::string> keys;
    for (const auto& row : object.items()) {
        keys.push_back(row.key());
    }
    return keys;
}

TEST(Report, HasTheseKeysInThisOrder) {
    const ordered_json report = ordered_json::parse(report_json({}, testing::full_outcome(), {}));
    EXPECT_EQ(keys_of(report), (std::vector<std::string>{"schema",
                                                         "exit_code",
                                                         "error",
                                                         "warnings",
                                                         "warnings_more",
                                                         "vfilter",
                                                         "command_line",
                                                         "host",
                                                         "started",
                                                         "ended",
                                                         "input",
                                                         "added",
                                                         "appended",
                                                         "output",
                                                         "sha256",
                                                         "container",
                                                         "encoder",
                                                         "device",
                                                         "filters",
                                                         "noise",
                                                         "crop",
                                                         "frames",
                                                         "regions",
                                                         "live",
                                                         "reconnects",
                                                         "drops",
                                                         "clock_drift_seconds",
                                                         "latency_ms",
                                                         "seconds",
                                                         "fps",
                                                         "bound",
                                                         "bytes_written",
                                                         "pictures_displaced",
                                                         "packets_lost",
                                                         "pictures_allocated",
                                                         "decode",
                                                         "engine",
                                                         "streams_dropped",
                                                         "streams_encoded",
                                                         "tags_dropped",
                                                         "labels_unread",
                                                         "damage",
                                                         "abandoned",
                                                         "verify",
                                                         "kept_part",
                                                         "stages",
                                                         "steps"}));
    EXPECT_EQ(keys_of(report["drops"]),
              (std::vector<std::string>{"undecoded", "overtaken", "shed", "unrecorded", "unseen"}));
    EXPECT_EQ(keys_of(report["latency_ms"]),
              (std::vector<std::string>{"decode", "queue", "filter", "ready", "show", "write"}));
    EXPECT_EQ(keys_of(report["stages"]), (std::vector<std::string>{"read", "decode", "filter", "encode", "write"}));
}

TEST(Report, TellsWhatTheOutcomeHolds) {
    Options options;
    options.input.path = "in.mp4";
    options.output.path = "out.mkv";
    Stats stats;
    stats[StageId::decode].count(100);
    stats.latency[Leg::ready].add(5ms);
    const ordered_json report = ordered_json::parse(report_json(options, testing::full_outcome(), stats));
    EXPECT_EQ(report["exit_code"], static_cast<int>(ExitCode::encoder));
    EXPECT_EQ(report["error"], "encode: no");
    EXPECT_EQ(report["input"], "in.mp4");
    EXPECT_EQ(report["output"], "out.mkv");
    EXPECT_EQ(report["filters"].dump(), R"([{"name":"gaussian","arguments":"size=5"}])");
    EXPECT_EQ(report["frames"].dump(), R"({"in":100,"out":90,"dropped":10})");
    EXPECT_EQ(report["live"], true);
    EXPECT_EQ(report["reconnects"], 2);
    EXPECT_EQ(report["drops"]["overtaken"], 3);
    EXPECT_EQ(report["drops"]["unseen"], 7);
    EXPECT_EQ(report["clock_drift_seconds"], 0.25);
    EXPECT_EQ(report["latency_ms"]["ready"]["max"], 5.0);
    EXPECT_EQ(report["fps"], 45.0);
    EXPECT_EQ(report["bytes_written"], 12345);
    EXPECT_EQ(report["pictures_displaced"], 8);
    EXPECT_EQ(report["packets_lost"], 9);
    EXPECT_EQ(report["pictures_allocated"], 17);
    EXPECT_EQ(report["engine"].dump(),
              R"({"device_bytes":1000,"device_allocations":12,"pageable_pictures":5,"launches":6,"uploads":7,)"
              R"("downloads":8,"resident_pictures":9,"crossing_pictures":2,"kernels":["tile"],"devices":[]})");
    EXPECT_EQ(report["decode"].dump(),
              R"({"on":"gpu","why":"it is faster","sessions":2,"ranges":5,"ranges_on_cpu":1,"why_on_cpu":"film grain",)"
              R"("pictures_by_gpu":80,"pictures_beside":12})");
    EXPECT_EQ(report["streams_dropped"].dump(), R"(["stream 2"])");
    EXPECT_EQ(report["damage"]["packets"], 1);
    EXPECT_EQ(report["abandoned"], 4);
    EXPECT_EQ(report["command_line"], "vfilter in.mp4 out.mkv");
    EXPECT_EQ(report["host"], "here");
    EXPECT_EQ(report["started"], "2026-01-02T03:04:05.678Z");
    EXPECT_EQ(report["ended"], "2026-01-02T03:04:06.678Z");
    EXPECT_EQ(report["sha256"].dump(), R"({"input":"00ff","output":"ff00"})");
    EXPECT_EQ(report["regions"].dump(), R"([{"region":"1,2,3,4","pictures":9}])");
    EXPECT_EQ(report["verify"].dump(), R"({"frames":2,"samples":400,"off_by_one":1})");
    EXPECT_EQ(report["kept_part"], ".out.part");
    EXPECT_EQ(report["stages"]["decode"]["items"], 100);
}

TEST(Report, HasNullWhereThereIsNothing) {
    const ordered_json report = ordered_json::parse(report_json({}, {}, {}));
    EXPECT_TRUE(report["error"].is_null());
    EXPECT_TRUE(report["kept_part"].is_null());
    EXPECT_TRUE(report["sha256"]["input"].is_null());
    EXPECT_TRUE(report["sha256"]["output"].is_null());
    EXPECT_FALSE(report.contains("verify"));
    EXPECT_TRUE(report["filters"].is_array());
}

TEST(Report, ShowsTheCommandLineWithoutSecrets) {
    const char* const arguments[] = {"rtsp://me:secret@camera/1?key=secret",
                                     "out file.mkv",
                                     "--input-option",
                                     "passphrase=secret",
                                     "--input-option=http_user=secret",
                                     "--input-option",
                                     "rtsp_transport=udp",
                                     "--add-option",
                                     "@2:decryption_key=secret",
                                     "--muxer-option",
                                     "encryption_key=secret",
                                     "--encoder-option",
                                     "keyint=50"};
    EXPECT_EQ(shown_command_line(arguments),
              "vfilter 'rtsp://...@camera/1?...' 'out file.mkv' --input-option passphrase=... "
              "--input-option=http_user=... --input-option rtsp_transport=udp --add-option @2:decryption_key=... "
              "--muxer-option encryption_key=... --encoder-option keyint=50");
}

TEST(Report, TellsTheTimeInUtc) {
    const std::string time = utc_time();
    EXPECT_EQ(time.size(), std::string("2026-01-02T03:04:05.678Z").size()) << time;
    std::tm parts{};
    ASSERT_NE(strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts), nullptr) << time;
    EXPECT_NEAR(static_cast<double>(timegm(&parts)), static_cast<double>(std::time(nullptr)), 2) << time;
}

// Messages may hold bytes of a stranger's file.
TEST(Report, IsJsonWhateverAMessageHolds) {
    Outcome outcome;
    outcome.end.message = "bad \xff name";
    EXPECT_EQ(ordered_json::parse(report_json({}, outcome, {}))["error"], "bad \xEF\xBF\xBD name");
}

}  // namespace
}  // namespace vfilter
