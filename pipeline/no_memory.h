#pragma once
// How the program ends when there is no memory left to report an error with.

namespace vfilter {

/// Where there is no memory there may be none to say so either, and what is thrown then comes past every handler. From
/// here on the program ends with one line and exit code 1 all the same.
void end_without_memory();

}  // namespace vfilter
