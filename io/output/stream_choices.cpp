#include "io/output/stream_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "config/letters.h"
#include "io/languages.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

std::string language_of(std::string_view text) {
    const std::string code = lower_case(text);
    const auto codes = languages_with_two_codes();
    const auto row = std::ranges::find_if(codes, [&](const TwoCodes& each) { return each.has(code); });
    return row == codes.end() ? code : std::string(row->bibliographic);
}

std::string language_of(const AVStream& stream) {
    const AVDictionaryEntry* const tag = av_dict_get(stream.metadata, "language", nullptr, 0);
    return tag != nullptr ? language_of(tag->value) : "und";
}

}  // namespace

bool is_chosen(const Demuxer& input, const AVStream& stream, const StreamChoice& choice) {
    const auto is_one = [&](const AVStream& other) {
        return kind_of(other) == choice.kind && (choice.file < 0 || input.file_of(other.index) == choice.file);
    };
    if (!is_one(stream)) {
        return false;
    }
    if (choice.number < 0 && choice.language.empty()) {
        return true;
    }
    if (choice.number < 0) {
        const std::string language = language_of(stream);
        const std::string wanted = language_of(choice.language);
        return language == wanted || language.starts_with(wanted + "-");
    }
    AVStream* const* const streams = input.format().streams;
    const auto before =
        std::count_if(streams, streams + stream.index, [&](const AVStream* other) { return is_one(*other); });
    return before == choice.number;
}

namespace {

std::string_view name_of_kind(unsigned kind) {
    switch (kind) {
        case kind::video:
            return "video";
        case kind::audio:
            return "audio";
        case kind::subtitles:
            return "subtitles";
        case kind::data:
            return "data";
        default:
            return "attachments";
    }
}

// Throws Error(usage) where a choice is of nothing and has to be of something.
void check(const Demuxer& input, const StreamChoice& choice, std::string_view option) {
    std::string languages;
    int count = 0;
    for (unsigned i = 0; i < input.format().nb_streams; ++i) {
        const AVStream& stream = *input.format().streams[i];
        if (is_chosen(input, stream, choice)) {
            return;
        }
        if (kind_of(stream) == choice.kind && (choice.file < 0 || input.file_of(stream.index) == choice.file)) {
            ++count;
            languages += (languages.empty() ? "" : ", ") + language_of(stream);
        }
    }
    const std::string of = choice.file < 0 ? std::string(option)
                                           : fmt::format("{}@{}{}", option, choice.file,
                                                         choice.number < 0 && choice.language.empty() ? "" : ".");
    if (!choice.optional) {
        throw Error(ExitCode::usage, choice.number < 0 ? fmt::format("{}{}: there are {}", of, choice.language,
                                                                     languages.empty() ? "none" : languages)
                                                       : fmt::format("{}{}: there {} {}, numbered from 0", of,
                                                                     choice.number, count == 1 ? "is" : "are", count));
    }
}

}  // namespace

bool is_kept(const Demuxer& input, const AVStream& stream, const std::vector<StreamChoice>& choices) {
    const unsigned kind = kind_of(stream);
    return std::ranges::find(choices, kind, &StreamChoice::kind) == choices.end() ||
           std::ranges::any_of(choices, [&](const StreamChoice& choice) { return is_chosen(input, stream, choice); });
}

std::string names_of_kept(const Demuxer& input, const std::vector<int>& places, unsigned kind) {
    std::string names;
    int number = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (kind_of(*input.format().streams[i]) == kind) {
            names += places[i] < 0 ? "" : fmt::format("{}{}:{}", names.empty() ? "" : ", ", name_of_kind(kind), number);
            ++number;
        }
    }
    return names;
}

void check_choices(const Demuxer& input, const OutputOptions& options) {
    const auto of_kind = [](std::string_view option, const StreamChoice& choice) {
        return fmt::format("--{} {}:", option, name_of_kind(choice.kind));
    };
    for (const StreamChoice& choice : options.choices) {
        check(input, choice, of_kind("streams", choice));
    }
    for (const ChosenSound& sound : options.sounds) {
        check(input, sound.of, "--audio ");
    }
    for (const StreamTag& tag : options.stream_tags) {
        check(input, tag.of, of_kind("metadata", tag.of));
    }
    for (const StreamPurposes& wanted : options.purposes) {
        check(input, wanted.of, of_kind("disposition", wanted.of));
    }
}

}  // namespace vfilter
