#pragma once
// Files within addresses: data: URLs (RFC 2397).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

inline constexpr std::string_view data_scheme = "data:";

/// An address without what its readers skip: tabs and ends of lines anywhere, controls and spaces in front (WHATWG,
/// "basic URL parser").
std::string address_in(std::string_view value);

/// What a data: URL holds, decoded. Nothing if the address is none, or has no content.
std::optional<std::vector<std::uint8_t>> content_of_data_url(std::string_view address);

}  // namespace vfilter
