#pragma once
// What is found, and reported, about the pictures that a libavfilter graph produces.

#include <string>
#include <vector>

#include "config/options.h"
#include "io/graph/filter_graph.h"
#include "io/handles.h"

namespace vfilter {

/// Whether a graph sets times arbitrarily: libavfilter's information about the rate is then wrong.
bool is_retimed(const std::string& graph);

/// Whether one of the graphs requests pictures of that format.
bool names_format(const std::vector<ForeignStep>& steps, AVPixelFormat format);

/// `made`, the format that graphs turn pictures of `given` into, if they have added alpha, depth or, if they name the
/// format, chroma that was not there before; otherwise NONE.
AVPixelFormat richer_format(const std::vector<ForeignStep>& steps, AVPixelFormat given, AVPixelFormat made);

/// Warns that a file with subtitles has times of the whole input, unless a graph sets times for them.
void tell_late_words(const std::vector<ForeignStep>& steps, const std::string& graph, double start);

/// Warns that FFmpeg drops a part of the pictures' data when it changes their size. `lost` is a set of picture_data()'s
/// values.
void tell_lost_part(const std::string& graph, unsigned lost);

/// Whether a graph that neither combines fields nor says what its pictures are passes on interlaced ones as
/// progressive.
bool keeps_no_fields(const std::string& graph, const AVFrame& before, const AVFrame& made);
void tell_lost_fields(const std::string& graph, const AVFrame& before);

/// The YUV matrix that a graph has given pictures like `before` without saying so, if players would assume another one,
/// or if those pictures named one; otherwise unspecified. `of_rgb`: what matrix_of_guess found for `before`.
AVColorSpace unsaid_matrix(const FilterGraph& graph, const GraphPictures& before, const AVFrame& made,
                           AVColorSpace of_rgb);
/// For RGB that a graph has made from YUV without a matrix, as if that were BT.601: the matrix that players would
/// assume for it, if it is another one; otherwise unspecified.
AVColorSpace matrix_of_guess(const FilterGraph& graph, const GraphPictures& before, AVPixelFormat made,
                             AVColorSpace of_rgb);
/// Reports a tag that unsaid_matrix found and that `made` has been given.
void tell_matrix(const std::string& graph, const GraphPictures& before, const AVFrame& made);

/// Warns if a graph names a range at its end and its YUV pictures have another: those that were RGB at that point have
/// no range, and are converted after it.
void tell_lost_range(const std::string& graph, AVPixelFormat format, AVColorRange range);

}  // namespace vfilter
