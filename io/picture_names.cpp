#include "io/picture_names.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>
#include <utility>

#include "config/error.h"
#include "io/folder_names.h"

namespace vfilter {

namespace {

constexpr int max_number_digits = 18;  // that an int64 holds

bool is_decimal(char letter) {
    return letter >= '0' && letter <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_decimal(text[end])) {
        ++end;
    }
    return end - at;
}

std::string folder_part(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? "." : slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string_view name_part(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_folder(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// A sequence of which a part is not seen would be taken for a whole one.
void check_listing(const std::string& folder, std::error_code error) {
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
        throw Error(ExitCode::input, fmt::format("{}: the folder cannot be read: {}", folder, error.message()));
    }
}

std::error_code add_numbers(const PictureNames& names, std::int64_t first, std::vector<std::int64_t>& numbers) {
    const std::error_code error = for_each_name(names.folder(), [&](const std::string& name) {
        const std::optional<std::int64_t> number = names.number_of(name);
        if (number && *number >= first) {
            numbers.push_back(*number);
        }
    });
    std::ranges::sort(numbers);
    return error;
}

FoundPictures find_numbered(const PictureNames& names) {
    FoundPictures found;
    std::vector<std::int64_t> numbers;
    check_listing(names.folder(), add_numbers(names, 0, numbers));
    for (const std::int64_t number : numbers) {
        found.numbers.push_back(number);
        found.paths.push_back(names.path(number));
    }
    found.numbered = true;
    return found;
}

FoundPictures find_glob(std::string_view path) {
    const std::string pattern(name_part(path));
    const std::string folder = folder_part(path);
    const std::string before(path.substr(0, path.size() - pattern.size()));
    std::vector<std::string> matches;
    const std::error_code error = for_each_name(folder, [&](const std::string& name) {
        // A star means no folders. All else is wanted: what cannot be read is told when it is to be.
        if (fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0 && !is_folder(before + name)) {
            matches.push_back(name);
        }
    });
    check_listing(folder, error);
    std::ranges::sort(matches, natural_less);
    FoundPictures found;
    for (const std::string& name : matches) {
        found.numbers.push_back(std::ssize(found.numbers));
        found.paths.push_back(before + name);
    }
    return found;
}

// "50%discount": a number of percent, and a word.
bool is_percentage(std::string_view name, std::size_t percent) {
    const auto is = [&](std::size_t place, int (*kind)(int)) {
        return place < name.size() && kind(static_cast<unsigned char>(name[place])) != 0;
    };
    return percent > 0 && is(percent - 1, std::isdigit) && is(percent + 2, std::isalpha);
}

}  // namespace

std::optional<PictureNames> PictureNames::parse(std::string_view path) {
    const std::string_view name = name_part(path);
    std::optional<PictureNames> names;
    for (std::size_t at = name.find('%'); at != std::string_view::npos; at = name.find('%', at + 1)) {
        const std::size_t length = digits_at(name, at + 1);
        const std::size_t end = at + 1 + length;
        if (end >= name.size() || name[end] != 'd' || (length == 0 && is_percentage(name, at))) {
            continue;
        }
        int digits = 0;
        std::from_chars(name.data() + at + 1, name.data() + end, digits);
        if (names || digits > max_number_digits || length > 3) {
            return std::nullopt;
        }
        names.emplace();
        names->folder_ = folder_part(path);
        names->start_ = name.substr(0, at);
        names->before_ = std::string(path.substr(0, path.size() - name.size())) + names->start_;
        names->after_ = name.substr(end + 1);
        names->digits_ = digits;
    }
    return names;
}

std::string PictureNames::path(std::int64_t number) const {
    return fmt::format("{}{:0{}}{}", before_, number, std::max(digits_, 1), after_);
}

std::optional<std::int64_t> PictureNames::number_of(std::string_view name) const {
    if (name.size() <= start_.size() + after_.size() || !name.starts_with(start_) || !name.ends_with(after_)) {
        return std::nullopt;
    }
    const std::string_view digits = name.substr(start_.size(), name.size() - start_.size() - after_.size());
    const auto least = static_cast<std::size_t>(std::max(digits_, 1));
    const bool padded = digits.size() > least && digits.front() == '0';  // which path() never makes
    if (digits_at(digits, 0) != digits.size() || digits.size() < least || digits.size() > max_number_digits || padded) {
        return std::nullopt;
    }
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

std::vector<std::int64_t> existing_numbers(const PictureNames& names, std::int64_t first) {
    std::vector<std::int64_t> numbers;
    add_numbers(names, first, numbers);
    return numbers;
}

std::optional<FoundPictures> find_pictures(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0) {
        return std::nullopt;
    }
    FoundPictures found;
    if (const auto names = PictureNames::parse(path)) {
        found = find_numbered(*names);
    } else if (name_part(path).find_first_of("*?[") != std::string_view::npos) {
        found = find_glob(path);
    }
    return found.paths.empty() ? std::nullopt : std::optional(std::move(found));
}

bool natural_less(std::string_view a, std::string_view b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (!is_decimal(a[i]) || !is_decimal(b[j])) {
            if (a[i] != b[j]) {
                return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
            }
            ++i;
            ++j;
            continue;
        }
        const auto number_at = [](std::string_view text, std::size_t& at) {
            const std::size_t length = digits_at(text, at);
            std::string_view number = text.substr(at, length);
            at += length;
            number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
            return number;
        };
        const std::string_view x = number_at(a, i);
        const std::string_view y = number_at(b, j);
        if (x != y) {
            return x.size() != y.size() ? x.size() < y.size() : x < y;
        }
    }
    return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

}  // namespace vfilter
