#include "filters/spans.h"

#include <cmath>
#include <stdexcept>

#include "filters/names.h"
#include "filters/numbers.h"

namespace vfilter {

namespace {

[[noreturn]] void refuse_spans(std::string_view text, const std::string& what) {
    throw std::invalid_argument("enable='" + shortened(text) + "': " + what);
}

Moment parse_moment(std::string_view whole, std::string_view text) {
    const bool frames = text.ends_with('f');
    const std::optional<double> value = read_number(text.substr(0, text.size() - (frames ? 1 : 0)));
    if (!value || *value < 0 || (frames && *value != std::floor(*value))) {
        refuse_spans(whole, "'" + shortened(text) + "' is neither seconds nor the number of a picture, such as 90f; " +
                                "take 5-10, 90f-200f or 5-");
    }
    return {*value, frames};
}

std::string moment_text(const Moment& moment) {
    return number_text(moment.value) + (moment.frames ? "f" : "");
}

}  // namespace

bool Moment::is_after(const PictureTime& picture) const {
    constexpr double early = 0.001;
    return frames ? static_cast<double>(picture.number) < value : picture.seconds + early < value;
}

std::vector<Span> parse_spans(std::string_view text) {
    if (text.find("between(") != std::string_view::npos) {
        refuse_spans(text, "vfilter's way is FROM-TO, so that between(t,5,10) is 5-10");
    }
    std::vector<Span> spans;
    std::string_view rest = text;
    for (;;) {
        if (spans.size() == max_spans) {
            refuse_spans(text, "more than " + std::to_string(max_spans) + " spans");
        }
        const std::size_t plus = rest.find('+');
        const std::string_view one = rest.substr(0, plus);
        const std::size_t dash = one.find('-');
        if (dash == std::string_view::npos || one.size() == 1) {
            refuse_spans(text, "a span is FROM-TO, in seconds or numbers of pictures: 5-10, 90f-200f, 5-");
        }
        Span span;
        if (dash > 0) {
            span.from = parse_moment(text, one.substr(0, dash));
        }
        if (dash + 1 < one.size()) {
            span.to = parse_moment(text, one.substr(dash + 1));
            if (dash == 0) {
                span.from.frames = span.to->frames;
            }
            if (span.from.frames == span.to->frames && span.to->value <= span.from.value) {
                refuse_spans(text, "'" + shortened(one) + "' ends before it begins");
            }
        }
        spans.push_back(span);
        if (plus == std::string_view::npos) {
            return spans;
        }
        rest.remove_prefix(plus + 1);
    }
}

std::string to_string(const std::vector<Span>& spans) {
    std::string text;
    for (const Span& span : spans) {
        text += (text.empty() ? "" : "+") + moment_text(span.from) + "-" + (span.to ? moment_text(*span.to) : "");
    }
    return text;
}

}  // namespace vfilter
