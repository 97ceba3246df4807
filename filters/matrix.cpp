#include "filters/matrix.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "filters/names.h"
#include "filters/numbers.h"

namespace vfilter {

namespace {

[[noreturn]] void refuse_matrix(const std::string& what) {
    throw std::invalid_argument(what);
}

// Whether a matrix of one row reads like a square one without its semicolons: 9, 25 or 49 numbers.
bool looks_unseparated(const Matrix& matrix) {
    if (matrix.size() != 1) {
        return false;
    }
    const auto count = static_cast<int>(matrix[0].size());
    const auto side = static_cast<int>(std::lround(std::sqrt(count)));
    return side > 1 && side % 2 == 1 && side * side == count;
}

std::string square_text(const std::vector<double>& numbers) {
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(numbers.size())));
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        text += (i == 0 ? "" : i % side == 0 ? "; " : " ") + number_text(numbers[i]);
    }
    return text;
}

}  // namespace

Matrix parse_matrix(std::string_view text) {
    Matrix matrix;
    std::vector<double> row;
    bool comment = false;
    bool marked = false;  // a ';' ends a row, even if it is the only one
    const auto end_row = [&] {
        comment = false;
        if (row.empty()) {
            return;
        }
        if (!matrix.empty() && row.size() != matrix[0].size()) {
            refuse_matrix("row " + std::to_string(matrix.size() + 1) + " of the matrix has " +
                          std::to_string(row.size()) + " numbers, the rows before it " +
                          std::to_string(matrix[0].size()));
        }
        matrix.push_back(std::move(row));
        row.clear();
    };
    std::size_t at = 0;
    while (at < text.size()) {
        const char letter = text[at];
        if (letter == '\n' || (letter == ';' && !comment)) {
            marked = marked || letter == ';';
            end_row();
            ++at;
        } else if (comment || letter == '#') {
            comment = true;
            ++at;
        } else if (letter == ' ' || letter == '\t' || letter == '\r' || letter == ',') {
            ++at;
        } else {
            const std::string_view one = text.substr(at, text.find_first_of(" \t\r\n,;#", at) - at);
            const std::optional<double> value = read_number(one);
            if (!value || std::abs(*value) > max_matrix_number) {
                refuse_matrix("'" + shortened(one) + "' in the matrix is no number from -1000000 to 1000000");
            }
            row.push_back(*value);
            at += one.size();
        }
    }
    end_row();
    const std::size_t height = matrix.size();
    const std::size_t width = matrix.empty() ? 0 : matrix[0].size();
    if (height % 2 == 0 || width % 2 == 0 || std::max(width, height) > max_matrix_size) {
        refuse_matrix("the matrix is " + std::to_string(width) + "x" + std::to_string(height) +
                      "; both sides are odd, from 1 to " + std::to_string(max_matrix_size));
    }
    if (looks_unseparated(matrix) && !marked) {
        refuse_matrix(std::to_string(width) + " numbers in one row: did you mean \"" + square_text(matrix[0]) +
                      "\"? A row of " + std::to_string(width) + " ends with a ';'");
    }
    return matrix;
}

Matrix read_matrix(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(max_matrix_file_size, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    const auto size = static_cast<std::size_t>(file.gcount());
    if (file.bad() || (size == 0 && !file.eof()) || !file.is_open()) {
        refuse_matrix("file=" + path + " cannot be read");
    }
    if (size == text.size()) {
        refuse_matrix("file=" + path + " is larger than 1 MiB, which no matrix is");
    }
    return parse_matrix(std::string_view(text).substr(0, size));
}

std::string to_string(const Matrix& matrix) {
    std::string text;
    for (const std::vector<double>& row : matrix) {
        text += text.empty() ? "" : "; ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += (i == 0 ? "" : " ") + number_text(row[i]);
        }
    }
    return text + (looks_unseparated(matrix) ? ";" : "");
}

}  // namespace vfilter
