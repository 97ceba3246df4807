#pragma once
// What is found, and told, of the pictures that a graph of libavfilter's makes.

#include <string>
#include <vector>

#include "config/options.h"
#include "io/graph/filter_graph.h"
#include "io/handles.h"

namespace vfilter {

/// Whether a graph sets times as the user likes: what libavfilter says of the rate is not true then.
bool is_retimed(const std::string& graph);

/// Whether one of the graphs asks for pictures of that format.
bool names_format(const std::vector<ForeignStep>& steps, AVPixelFormat format);

/// `made`, of what graphs make of pictures of `given`, if they have put alpha, depth or, where they name the format,
/// chroma in it that was not there; else NONE.
AVPixelFormat richer_format(const std::vector<ForeignStep>& steps, AVPixelFormat given, AVPixelFormat made);

/// Tells that words of a file have times of the whole input, unless a graph sets times for them.
void tell_late_words(const std::vector<ForeignStep>& steps, const std::string& graph, double start);

/// Tells of a part of the pictures that FFmpeg leaves out where they get another size. `lost` is a set of
/// picture_data()'s.
void tell_lost_part(const std::string& graph, unsigned lost);

/// Whether a graph that neither makes whole pictures nor says what they are hands on interlaced ones as progressive.
bool keeps_no_fields(const std::string& graph, const AVFrame& before, const AVFrame& made);
void tell_lost_fields(const std::string& graph, const AVFrame& before);

/// The matrix of YUV that a graph has made of pictures like `before` without saying it, where players would take
/// another one, or where those said one; else unspecified. `of_rgb`: what matrix_of_guess found of `before`.
AVColorSpace unsaid_matrix(const FilterGraph& graph, const GraphPictures& before, const AVFrame& made,
                           AVColorSpace of_rgb);
/// Of RGB that a graph has made, as if it were BT.601's, of YUV without a matrix: the one that players take that for,
/// if it is another one; else unspecified.
AVColorSpace matrix_of_guess(const FilterGraph& graph, const GraphPictures& before, AVPixelFormat made,
                             AVColorSpace of_rgb);
/// Tells of a tag that unsaid_matrix found and `made` has got.
void tell_matrix(const std::string& graph, const GraphPictures& before, const AVFrame& made);

/// Tells where a graph names a range at its end and its pictures, YUV, have another: those that were RGB there have
/// none, and are converted behind it.
void tell_lost_range(const std::string& graph, AVPixelFormat format, AVColorRange range);

}  // namespace vfilter
