#pragma once
// How the program ends when there is not even enough memory left to report an error.

namespace vfilter {

/// Without memory there may be none for the message either, and the exception then passes every handler. After this
/// call the program still ends with one line and exit code 1.
void end_without_memory();

}  // namespace vfilter
