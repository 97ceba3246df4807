#pragma once
// Plots as SVG: the same drawing for a page, whose style sheet has the colours, and for a file of its own.

#include <cstddef>
#include <string>
#include <vector>

#include "bench/report.h"

namespace vfilter::bench {

/// Where a plot is looked at. What is readable on a screen is not on a phone when it is merely scaled down, so that a
/// page has each plot twice and shows one.
enum class PlotSize { wide, narrow };

/// The colours of one of the two schemes. What others have is muted, and each differs from the next for colour-blind
/// readers in lightness as well; markers and dashes tell them apart, too.
enum class Scheme { light, dark };

/// Rules for what is in an element of class "plot".
std::string plot_style(Scheme scheme);

/// An svg element; its ids begin with `id`.
std::string draw_plot(const Plot& plot, PlotSize size, const std::string& id);

/// At most `most` round numbers from `low` to `high`: 1, 2, 5 times powers of ten and the like. A logarithmic axis has
/// 0 < low. There may be none.
std::vector<double> log_ticks(double low, double high, std::size_t most);
std::vector<double> linear_ticks(double low, double high, std::size_t most);

}  // namespace vfilter::bench
