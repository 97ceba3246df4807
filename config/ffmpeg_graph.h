#pragma once
// What a graph of ffmpeg's -vf does to times and numbers of pictures, by the names of its filters.

#include <optional>
#include <string_view>

namespace vfilter {

/// Each holds those before it.
enum class GraphEffect {
    none,     ///< a picture comes out for each that goes in, at its time
    numbers,  ///< more come out, or fewer, and the times stay what they are
    times,    ///< a moment of the input becomes another one
};

GraphEffect effect_of_graph(std::string_view graph);

/// Whether a graph of -af makes of each sample one at its time, out of that one and those before it.
bool follows_sound(std::string_view graph);

/// Whether it does to a picture what depends on its time or number, as a fade does.
bool looks_at_time(std::string_view graph);

/// Whether it makes of an input that begins `start` seconds later what it makes of the whole, without what comes
/// before. Of filters that nobody knows here it does not; start: nothing where that is no time.
bool begins_alike(std::string_view graph, std::optional<double> start);

/// The same of an input that ends after `length` seconds.
bool ends_alike(std::string_view graph, std::optional<double> length);
/// Or but for the last picture, of which a filter of fields makes half of the lines without the one behind it.
bool ends_nearly_alike(std::string_view graph, std::optional<double> length);

}  // namespace vfilter
