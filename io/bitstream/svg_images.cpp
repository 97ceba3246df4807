#include "io/bitstream/svg_images.h"

#include <expat.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/bitstream/image_sizes.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view data_scheme = "data:";

char lower_letter(char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool is_blank(char letter) {
    return std::isspace(static_cast<unsigned char>(letter)) != 0;
}

bool is_digit(char letter) {
    return std::isxdigit(static_cast<unsigned char>(letter)) != 0;
}

int digit(char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) != 0 ? letter - '0' : lower_letter(letter) - 'a' + 10;
}

bool is_packed(Bytes drawing) {
    return big_endian(drawing, 0, 2) == 0x1F8B;
}

// Whether XML, in whatever encoding and behind whatever mark of it, or packed.
bool is_drawing(Bytes content) {
    constexpr std::string_view before = "\xEF\xBB\xBF\xFE\xFF\0"sv;
    const auto first = std::ranges::find_if(
        text(content), [&](char letter) { return !is_blank(letter) && before.find(letter) == std::string_view::npos; });
    return is_packed(content) || (first != text(content).end() && *first == '<');
}

// Nothing where it is damaged or too long: librsvg reads none of what is damaged.
std::optional<std::vector<std::uint8_t>> unpacked(Bytes packed) {
    constexpr int of_gzip = 16 + MAX_WBITS;
    constexpr std::size_t step = std::size_t{1} << 20;
    z_stream stream{};
    if (inflateInit2(&stream, of_gzip) != Z_OK) {
        throw std::bad_alloc();
    }
    stream.next_in = const_cast<Bytef*>(packed.data());  // zlib reads it
    stream.avail_in = static_cast<uInt>(packed.size());
    std::vector<std::uint8_t> bytes;
    int state = Z_OK;
    while (state == Z_OK && bytes.size() <= max_drawing) {
        const std::size_t before = bytes.size();
        bytes.resize(before + step);
        stream.next_out = bytes.data() + before;
        stream.avail_out = static_cast<uInt>(step);
        state = inflate(&stream, Z_NO_FLUSH);
        bytes.resize(before + step - stream.avail_out);
    }
    inflateEnd(&stream);
    return bytes.size() <= max_drawing ? std::optional(std::move(bytes)) : std::nullopt;
}

// What is no letter of it is skipped, and a last group may be incomplete (WHATWG, "forgiving-base64 decode").
std::vector<std::uint8_t> from_base64(std::string_view letters) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr int bits_of_letter = 6;
    std::vector<std::uint8_t> bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char letter : letters) {
        const std::size_t value = alphabet.find(letter);
        if (value == std::string_view::npos) {
            continue;
        }
        bits = bits << bits_of_letter | static_cast<std::uint32_t>(value);
        count += bits_of_letter;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<std::uint8_t>(bits >> count & 0xFF));
        }
    }
    return bytes;
}

std::vector<std::uint8_t> from_percents(std::string_view letters) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const bool escaped =
            letters[i] == '%' && i + 2 < letters.size() && is_digit(letters[i + 1]) && is_digit(letters[i + 2]);
        bytes.push_back(
            static_cast<std::uint8_t>(escaped ? 16 * digit(letters[i + 1]) + digit(letters[i + 2]) : letters[i]));
        i += escaped ? 2 : 0;
    }
    return bytes;
}

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::string lower(std::string_view text) {
    std::string letters(text);
    std::ranges::transform(letters, letters.begin(), lower_letter);
    return letters;
}

// Without its namespace, whose prefix may be any.
std::string local_name(std::string_view name) {
    return lower(name.substr(name.rfind(':') + 1));
}

bool says_base64(std::string_view head) {
    constexpr std::string_view word = "base64";
    const std::string letters = lower(without_blanks(head));
    return letters.ends_with(word) &&
           without_blanks(std::string_view(letters).substr(0, letters.size() - word.size())).ends_with(';');
}

// Of a data: URL behind its scheme (RFC 2397); its fragment is no part of it.
std::optional<std::vector<std::uint8_t>> content_of(std::string_view value) {
    const std::size_t comma = value.find(',');
    if (comma == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view body = value.substr(comma + 1);
    std::vector<std::uint8_t> bytes = from_percents(body.substr(0, body.find('#')));
    return says_base64(value.substr(0, comma)) ? from_base64(text(bytes)) : std::move(bytes);
}

// CSS without its escapes: a backslash, and up to six digits with a blank or any other letter (CSS Syntax 3, 4.3.7).
std::string unescaped(std::string_view css) {
    constexpr std::size_t most_digits = 6;
    std::string plain;
    for (std::size_t i = 0; i < css.size(); ++i) {
        if (css[i] != '\\' || i + 1 == css.size()) {
            plain += css[i];
            continue;
        }
        std::size_t digits = 0;
        unsigned code = 0;
        while (digits < most_digits && i + 1 + digits < css.size() && is_digit(css[i + 1 + digits])) {
            code = code << 4U | static_cast<unsigned>(digit(css[i + 1 + digits++]));
        }
        plain += digits == 0 ? css[i + 1] : code < 0x80 ? static_cast<char>(code) : '?';
        i += std::max<std::size_t>(digits, 1);
        i += digits > 0 && i + 1 < css.size() && is_blank(css[i + 1]) ? 1 : 0;
    }
    return plain;
}

std::string excess_in(Bytes drawing, std::int64_t max_pixels, int depth);

// Looks through one drawing: its images, and what else may hold drawings or styles, which may hold images.
class Drawing {
public:
    Drawing(std::int64_t max_pixels, int depth) : max_pixels_(max_pixels), depth_(depth) {}

    [[nodiscard]] std::string excess_of_xml(Bytes xml);
    void look_at_style(std::string_view css);
    [[nodiscard]] const std::string& excess() const { return excess_; }

private:
    static void XMLCALL begin_element(void* self, const XML_Char* name, const XML_Char** attributes);
    static void XMLCALL end_element(void* self, const XML_Char* name);
    static void XMLCALL add_text(void* self, const XML_Char* text, int length);
    static void XMLCALL look_at_instruction(void* self, const XML_Char* name, const XML_Char* data);
    template <class Work>
    static void guarded(void* self, const Work& work);

    void look_at_element(std::string_view name, const XML_Char** attributes);
    void look_at_image(std::string_view value);
    void look_at_other(std::string_view value);

    std::int64_t max_pixels_;
    int depth_;
    XML_Parser parser_ = nullptr;
    bool in_style_ = false;
    std::string style_;
    std::string excess_;
    std::exception_ptr failure_;
};

// No exception may pass through the parser.
template <class Work>
void Drawing::guarded(void* self, const Work& work) {
    auto& drawing = *static_cast<Drawing*>(self);
    try {
        work(drawing);
    } catch (...) {
        drawing.failure_ = std::current_exception();
    }
    if (drawing.failure_ || !drawing.excess_.empty()) {
        XML_StopParser(drawing.parser_, XML_FALSE);
    }
}

void Drawing::begin_element(void* self, const XML_Char* name, const XML_Char** attributes) {
    guarded(self, [&](Drawing& drawing) { drawing.look_at_element(name, attributes); });
}

void Drawing::end_element(void* self, const XML_Char* name) {
    guarded(self, [&](Drawing& drawing) {
        if (local_name(name) == "style") {
            drawing.in_style_ = false;
            drawing.look_at_style(std::exchange(drawing.style_, {}));
        }
    });
}

void Drawing::add_text(void* self, const XML_Char* text, int length) {
    guarded(self, [&](Drawing& drawing) {
        drawing.style_.append(text, drawing.in_style_ ? static_cast<std::size_t>(length) : 0);
    });
}

// <?xml-stylesheet href="..."?>
void Drawing::look_at_instruction(void* self, const XML_Char* /*name*/, const XML_Char* data) {
    guarded(self, [&](Drawing& drawing) { drawing.look_at_style(data); });
}

void Drawing::look_at_element(std::string_view name, const XML_Char** attributes) {
    const std::string element = local_name(name);
    const bool image = element == "image" || element == "feimage";
    in_style_ = in_style_ || element == "style";
    for (; *attributes != nullptr && excess_.empty(); attributes += 2) {
        const std::string_view value = without_blanks(attributes[1]);
        if (local_name(attributes[0]) != "href") {
            look_at_style(value);
        } else if (lower(value.substr(0, data_scheme.size())) == data_scheme) {
            const std::string_view data = value.substr(data_scheme.size());
            image ? look_at_image(data) : look_at_other(data);
        }
    }
}

void Drawing::look_at_image(std::string_view value) {
    const auto image = content_of(value);
    const std::optional<ImageSize> size = image ? size_of_image(*image) : std::nullopt;
    if (!image || (!size && is_drawing(*image))) {
        look_at_other(value);
    } else if (!size) {
        excess_ = "an image in it is neither PNG, JPEG, GIF, WebP, BMP nor SVG, so that nothing tells how large it is";
    } else {
        constexpr std::uint64_t longest = UINT32_MAX;
        const auto pixels =
            static_cast<double>(std::min(size->width, longest)) * static_cast<double>(std::min(size->height, longest));
        if (pixels > static_cast<double>(max_pixels_)) {
            excess_ =
                fmt::format("an image in it, {}x{}, is larger than {:.4g} Mpixel, the limit, which --max-pixels raises",
                            size->width, size->height, 1e-6 * static_cast<double>(max_pixels_));
        }
    }
}

// Drawings and styles; what else there is draws nothing.
void Drawing::look_at_other(std::string_view value) {
    constexpr int deepest = 8;
    const auto content = content_of(value);
    if (!content) {
        return;
    }
    if (depth_ == deepest) {
        excess_ = "drawings and styles within it lie deeper in each other than is looked into";
    } else if (is_drawing(*content)) {
        excess_ = excess_in(*content, max_pixels_, depth_ + 1);
    } else {
        Drawing style(max_pixels_, depth_ + 1);
        style.look_at_style(text(*content));
        excess_ = style.excess();
    }
}

// url(data:...), with quotes or without.
void Drawing::look_at_style(std::string_view css) {
    if (css.find('(') == std::string_view::npos && css.find('=') == std::string_view::npos) {
        return;
    }
    const std::string plain = unescaped(css);
    const std::string letters = lower(plain);
    std::size_t at = letters.find(data_scheme);
    while (at != std::string::npos && excess_.empty()) {
        const char before = at == 0 ? '\0' : plain[at - 1];
        std::string_view value = std::string_view(plain).substr(at + data_scheme.size());
        value = value.substr(0, value.find(before == '"' || before == '\'' ? before : ')'));
        look_at_other(value);
        at = letters.find(data_scheme, at + data_scheme.size() + value.size());
    }
}

// Only letters of ASCII matter, which all of these have in their places.
int XMLCALL know_encoding(void* /*unused*/, const XML_Char* name, XML_Encoding* encoding) {
    constexpr std::array<std::string_view, 6> single_bytes{"iso-8859-", "iso8859-", "windows-125",
                                                           "cp125",     "koi8-",    "latin"};
    std::string_view given(name);
    const auto begins = [&](std::string_view known) {
        return std::ranges::equal(given.substr(0, known.size()), known, {}, lower_letter);
    };
    if (std::ranges::none_of(single_bytes, begins)) {
        return XML_STATUS_ERROR;
    }
    std::iota(std::begin(encoding->map), std::end(encoding->map), 0);
    return XML_STATUS_OK;
}

std::string Drawing::excess_of_xml(Bytes xml) {
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                              &XML_ParserFree);
    if (!parser) {
        throw std::bad_alloc();
    }
    parser_ = parser.get();
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(parser_, begin_element, end_element);
    XML_SetCharacterDataHandler(parser_, add_text);
    XML_SetProcessingInstructionHandler(parser_, look_at_instruction);
    XML_SetUnknownEncodingHandler(parser_, know_encoding, nullptr);
    // Those within the drawing itself; there is no handler that would load others.
    XML_SetParamEntityParsing(parser_, XML_PARAM_ENTITY_PARSING_ALWAYS);
    const XML_Status status = XML_Parse(parser_, text(xml).data(), static_cast<int>(xml.size()), XML_TRUE);
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    const XML_Error error = XML_GetErrorCode(parser_);
    if (error == XML_ERROR_NO_MEMORY) {
        throw std::bad_alloc();
    }
    if (status != XML_STATUS_OK && excess_.empty()) {
        return fmt::format("an SVG that is damaged: line {}: {}", XML_GetCurrentLineNumber(parser_),
                           XML_ErrorString(error));
    }
    return excess_;
}

// Packed or not.
std::string excess_in(Bytes drawing, std::int64_t max_pixels, int depth) {
    std::string too_long = fmt::format("an SVG of more than {} MiB, which is the limit", max_drawing >> 20);
    if (drawing.size() > max_drawing) {
        return too_long;
    }
    if (!is_packed(drawing)) {
        return Drawing(max_pixels, depth).excess_of_xml(drawing);
    }
    const std::optional<std::vector<std::uint8_t>> plain = unpacked(drawing);
    return !plain || is_packed(*plain) ? too_long : Drawing(max_pixels, depth).excess_of_xml(*plain);
}

}  // namespace

bool is_name_of_svg(std::string_view name) {
    constexpr std::array<std::string_view, 2> endings{".svg", ".svgz"};
    return std::ranges::any_of(endings, [&](std::string_view ending) {
        return name.size() >= ending.size() &&
               std::ranges::equal(name.substr(name.size() - ending.size()), ending,
                                  [](char one, char other) { return lower_letter(one) == other; });
    });
}

std::string excess_of_svg(std::span<const std::uint8_t> drawing, std::int64_t max_pixels) {
    return excess_in(drawing, max_pixels, 0);
}

}  // namespace vfilter
