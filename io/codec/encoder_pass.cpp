#include "io/codec/encoder_pass.h"

extern "C" {
#include <libavutil/log.h>
}

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <filesystem>
#include <sstream>

#include "config/encoder_facts.h"
#include "config/error.h"
#include "io/descriptor.h"

namespace vfilter {

namespace {

// Whether an encoder can be opened without harm. Those of MPEG free memory twice where they find that the second pass
// has too few bits, so that a child tries it first.
bool opens_in_child(AVCodecContext& context, Dictionary& settings) {
    constexpr unsigned patience = 20;  // seconds
    const pid_t child = fork();
    if (child == 0) {
        // Locks of other threads are locked for ever here: nothing is logged, and no thread begun.
        const rlimit nothing{};
        setrlimit(RLIMIT_CORE, &nothing);
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDERR_FILENO);
        for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGALRM, SIGINT, SIGTERM, SIGHUP}) {
            signal(number, SIG_DFL);
        }
        alarm(patience);
        av_log_set_callback([](void*, int, const char*, va_list) {});
        context.thread_count = 1;
        if (context.codec_id == AV_CODEC_ID_MPEG1VIDEO) {
            context.flags &= ~(AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME);  // which it would refuse
        }
        _exit(avcodec_open2(&context, context.codec, settings.get()) < 0 ? 1 : 0);
    }
    int status = 0;
    if (child > 0) {
        uninterrupted([&] { return waitpid(child, &status, 0); });
    }
    // Where there is no child, or it did not get to its end in time, nothing is known.
    return child < 0 || (WIFSIGNALED(status) ? WTERMSIG(status) != SIGABRT && WTERMSIG(status) != SIGSEGV
                                             : WEXITSTATUS(status) == 0);
}

}  // namespace

std::string pass_file(const EncodeTask& task, int stream) {
    return (std::filesystem::path(task.pass_folder) / fmt::format("video{}", stream)).string();
}

void EncoderPass::set_up(const EncodeTask& task, int stream, AVCodecContext& encoder, Dictionary& settings) {
    const bool first = task.pass == 1;
    const std::string path = pass_file(task, stream);
    folder_ = task.pass_folder;
    encoder.flags |= first ? AV_CODEC_FLAG_PASS1 : AV_CODEC_FLAG_PASS2;
    const EncoderFacts& facts = encoder_facts(encoder.codec->name);
    switch (facts.passes) {
        case PassStatistics::own_file:
            settings.set("stats", path);
            return;
        case PassStatistics::parameters: {
            const AVDictionaryEntry* const own = av_dict_get(*settings.get(), facts.parameters, nullptr, 0);
            settings.set(facts.parameters, fmt::format("{}{}pass={}:stats={}", own != nullptr ? own->value : "",
                                                       own != nullptr ? ":" : "", task.pass, path));
            return;
        }
        case PassStatistics::palette:
            return;  // the encoder itself makes one pass
        case PassStatistics::text:
            break;
        case PassStatistics::none:
            throw Error(ExitCode::usage,
                        fmt::format("--two-pass: the encoder {} works in one pass", encoder.codec->name));
    }
    if (first) {
        to_.open(path, std::ios::binary | std::ios::trunc);
        if (!to_) {
            throw Error(ExitCode::output, fmt::format("{}: cannot be written", path));
        }
        return;
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream statistics;
    if (!(statistics << file.rdbuf())) {
        throw Error(ExitCode::output, fmt::format("{}: the statistics of the first pass cannot be read", path));
    }
    statistics_ = statistics.str();
    encoder.stats_in = statistics_.data();
    if (facts.has(encoder_fact::frees_twice) && !opens_in_child(encoder, settings)) {
        throw Error(
            ExitCode::encoder,
            fmt::format("the encoder {} refuses the second pass: {} bits per second are too few for these pictures; "
                        "raise --bitrate, or make the pictures smaller or fewer a second",
                        encoder.codec->name, encoder.bit_rate));
    }
}

// Encoders that write their statistics themselves have no words for a full disk, and some find out in the second pass.
void EncoderPass::check_folder() const {
    if (folder_.empty()) {
        return;
    }
    const std::string path = (std::filesystem::path(folder_) / "room").string();
    constexpr std::size_t some = 65536;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << std::string(some, ' ') << std::flush;
    const bool good = file.good();
    file.close();
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    if (!good) {
        throw Error(ExitCode::output,
                    fmt::format("{}: the statistics of the first pass cannot be written: is the disk full?", folder_));
    }
}

void EncoderPass::keep_statistics(const AVCodecContext& encoder) {
    if (!to_.is_open() || encoder.stats_out == nullptr) {
        return;
    }
    to_ << encoder.stats_out << std::flush;
    if (!to_) {
        throw Error(ExitCode::output, "the statistics of the first pass cannot be written: is the disk full?");
    }
}

}  // namespace vfilter
