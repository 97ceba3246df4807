#pragma once
// A matrix of the user's own: the value, and as text.

#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

inline constexpr int max_matrix_size = 63;                    ///< of either side
inline constexpr double max_matrix_number = 1e6;              ///< amount of an entry
inline constexpr std::size_t max_matrix_file_size = 1 << 20;  ///< bytes

/// Rows of equal length; both sides odd, 1 to max_matrix_size.
using Matrix = std::vector<std::vector<double>>;

/// Rows separated by ';' or ends of lines, numbers by blanks or commas; # begins a comment that goes to the end of the
/// line. A single row of 9, 25 or 49 numbers, which looks like a square matrix without its semicolons, has to end with
/// a
/// ';'. Throws std::invalid_argument with what is wrong.
Matrix parse_matrix(std::string_view text);
/// The same from a file. Throws std::invalid_argument, also where it cannot be read or is not below
/// max_matrix_file_size.
Matrix read_matrix(const std::string& path);
/// What parse_matrix reads back to the same value.
std::string to_string(const Matrix& matrix);

}  // namespace vfilter
