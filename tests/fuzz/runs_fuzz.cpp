// Whole runs: a file that may be anything is decoded by one thread and in ranges, filtered, and written uncompressed.
// Both end in one of the ways that docs/cli.md names, in the same way, and with the same bytes.

#include <spdlog/spdlog.h>

#include <atomic>
#include <fstream>
#include <iterator>

#include "config/command_line.h"
#include "io/log/complaints.h"
#include "pipeline/session/session.h"
#include "tests/fuzz/fuzz.h"

namespace vfilter::fuzz {

namespace {

struct End {
    Outcome outcome;
    std::string bytes;
};

End run(const std::string& input, int sessions) {
    const std::string output = fmt::format("/dev/shm/vfilter-fuzz-{}.nut", getpid());
    std::remove(output.c_str());
    const char* const words[] = {input.c_str(), output.c_str(), "--gaussian", "3",  "--device", "cpu",  "--threads",
                                 "1",           "--codec",      "rawvideo",   "-y", "--audio",  "none", "--max-pixels",
                                 "1000000"};
    const Command command = parse_command_line(words);
    std::atomic<int> signal = 0;
    Stats stats;
    End end;
    end.outcome =
        run_session(command.options, signal, stats, {.watch = {}, .stage = {}, .stand_in_sessions = sessions});
    std::ifstream file(output, std::ios::binary);
    end.bytes.assign(std::istreambuf_iterator<char>(file), {});
    return end;
}

std::string counts_of(const End& end) {
    const Damage& damage = end.outcome.damage;
    return fmt::format(
        "{} ({}): {} of {} pictures, {} bytes; packets {} frames {} pictures {} holes {} complaints {} faults {}",
        static_cast<int>(end.outcome.end.code), end.outcome.end.message, end.outcome.counts.frames_out,
        end.outcome.counts.frames_in, end.bytes.size(), damage.packets, damage.frames, damage.pictures, damage.holes,
        damage.complaints, damage.faults);
}

// Notes say near which picture something was, which may be the one before where several threads are at work.
std::string text_of(const End& end) {
    return fmt::format("{}; {}", counts_of(end), fmt::join(end.outcome.damage.notes, "; "));
}

void check(const End& end) {
    const Outcome& outcome = end.outcome;
    const std::string text = text_of(end);
    const ExitCode code = outcome.end.code;
    demand(!outcome.end.hung, "it ends: " + text);
    demand(code == ExitCode::finished || code == ExitCode::damaged || code == ExitCode::input ||
               code == ExitCode::output || code == ExitCode::encoder,
           "an exit code for such inputs: " + text);
    if (code == ExitCode::finished) {
        demand(!outcome.damage.any() && outcome.counts.frames_in == outcome.counts.frames_out &&
                   outcome.counts.frames_in > 0,
               "0 is said of whole videos: " + text);
    }
}

}  // namespace

}  // namespace vfilter::fuzz

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
    spdlog::set_level(spdlog::level::off);
    vfilter::connect_ffmpeg_log(false);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vfilter::fuzz;
    const std::string input = file_of({data, size}, ".input");
    const End one = run(input, 0);
    check(one);
    const End ranges = run(input, 3);
    check(ranges);
    demand(counts_of(one) == counts_of(ranges) && one.bytes == ranges.bytes,
           fmt::format("ranges are the same:\n{}\n{}", text_of(one), text_of(ranges)));
    return 0;
}
