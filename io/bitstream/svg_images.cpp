#include "io/bitstream/svg_images.h"

#include <expat.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
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

#include "config/letters.h"
#include "io/bitstream/bytes.h"
#include "io/bitstream/data_urls.h"
#include "io/bitstream/image_sizes.h"

namespace vfilter {

namespace {

using namespace std::string_view_literals;

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

// Without its namespace, whose prefix may be any.
std::string local_name(std::string_view name) {
    return lower_case(name.substr(name.rfind(':') + 1));
}

// CSS without its escapes: a backslash, and up to six digits with a blank or any other letter (CSS Syntax 3, 4.3.7).
std::string unescaped(std::string_view css) {
    constexpr std::size_t most_digits = 6;
    std::string plain;
    plain.reserve(css.size());
    for (std::size_t i = 0; i < css.size(); ++i) {
        if (css[i] != '\\' || i + 1 == css.size()) {
            plain += css[i];
            continue;
        }
        std::size_t digits = 0;
        unsigned code = 0;
        while (digits < most_digits && i + 1 + digits < css.size() && hexadecimal(css[i + 1 + digits]) >= 0) {
            code = code << 4U | static_cast<unsigned>(hexadecimal(css[i + 1 + digits++]));
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
    static void XMLCALL add_text(void* self, const XML_Char* letters, int length);
    static void XMLCALL look_at_instruction(void* self, const XML_Char* name, const XML_Char* data);
    template <class Work>
    static void guarded(void* self, const Work& work);

    void look_at_element(std::string_view name, const XML_Char** attributes);
    void look_at_image(Bytes image);
    void look_at_other(Bytes content);

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

void Drawing::add_text(void* self, const XML_Char* letters, int length) {
    guarded(self, [&](Drawing& drawing) {
        drawing.style_.append(letters, drawing.in_style_ ? static_cast<std::size_t>(length) : 0);
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
        if (local_name(attributes[0]) != "href") {
            look_at_style(attributes[1]);
            continue;
        }
        if (const auto content = content_of_data_url(address_in(attributes[1]))) {
            image ? look_at_image(*content) : look_at_other(*content);
        }
    }
}

void Drawing::look_at_image(Bytes image) {
    const std::optional<ImageSize> size = size_of_image(image);
    if (!size && is_drawing(image)) {
        look_at_other(image);
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
void Drawing::look_at_other(Bytes content) {
    constexpr int deepest = 8;
    if (depth_ == deepest) {
        excess_ = "drawings and styles within it lie deeper in each other than is looked into";
    } else if (is_drawing(content)) {
        excess_ = excess_in(content, max_pixels_, depth_ + 1);
    } else {
        Drawing style(max_pixels_, depth_ + 1);
        style.look_at_style(text(content));
        excess_ = style.excess();
    }
}

// url(data:...), with quotes or without.
void Drawing::look_at_style(std::string_view css) {
    if (css.find('(') == std::string_view::npos && css.find('=') == std::string_view::npos) {
        return;
    }
    const std::string plain = address_in(unescaped(css));
    const std::string letters = lower_case(plain);
    std::size_t at = letters.find(data_scheme);
    while (at != std::string::npos && excess_.empty()) {
        const char before = at == 0 ? '\0' : plain[at - 1];
        std::string_view address = std::string_view(plain).substr(at);
        address = address.substr(0, address.find(before == '"' || before == '\'' ? before : ')'));
        if (const auto content = content_of_data_url(address)) {
            look_at_other(*content);
        }
        at = letters.find(data_scheme, at + address.size());
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
        return fmt::format("an SVG that is damaged: {}", XML_ErrorString(error));
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
