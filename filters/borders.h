#pragma once
// The names of borders: OpenCV's.

#include <array>
#include <optional>
#include <string_view>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter {

struct BorderName {
    Border border;
    std::string_view name;
    std::string_view picture;  ///< what stands to the left and right of the samples abcdefgh
};

inline constexpr std::array<BorderName, 5> border_names{{
    {Border::reflect_101, "reflect_101", "gfedcb|abcdefgh|gfedcba"},
    {Border::reflect, "reflect", "fedcba|abcdefgh|hgfedcb"},
    {Border::replicate, "replicate", "aaaaaa|abcdefgh|hhhhhhh"},
    {Border::constant, "constant", "iiiiii|abcdefgh|iiiiiii, i is black, and 0 of alpha"},
    {Border::wrap, "wrap", "cdefgh|abcdefgh|abcdefg"},
}};

std::optional<Border> border_from_name(std::string_view name);
std::string_view to_string(Border border);

}  // namespace vfilter
