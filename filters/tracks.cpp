#include "filters/tracks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "filters/names.h"
#include "filters/numbers.h"

namespace vfilter {

namespace {

enum Column : std::size_t {
    column_frame,
    column_time,
    column_id,
    column_left,
    column_top,
    column_width,
    column_height
};
constexpr std::array<std::string_view, 7> column_names{"frame", "time", "id", "left", "top", "width", "height"};
constexpr double max_track_coordinate = 1e6;

// Which field of a line each column is; -1 where there is none.
using Fields = std::array<int, column_names.size()>;
constexpr Fields motchallenge{0, -1, 1, 2, 3, 4, 5};

class TrackReader {
public:
    explicit TrackReader(std::string file) { made_.file = std::move(file); }

    void take(std::string_view line) {
        ++line_;
        if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) {
            line.remove_prefix(3);
        }
        line = trimmed(line);
        if (line.empty() || line.starts_with('#')) {
            return;
        }
        split_line(line);
        if (!begun_) {
            begun_ = true;
            if (!read_number(fields_.front())) {
                return take_header();
            }
        }
        take_row();
    }

    Tracks finish() {
        if (made_.tracks.empty()) {
            throw std::invalid_argument(made_.file + ": there is no row of a track in it");
        }
        for (Track& track : made_.tracks) {
            std::ranges::stable_sort(track.rows, {}, &Track::Row::at);
            const auto twice = std::ranges::adjacent_find(track.rows, {}, &Track::Row::at);
            if (twice != track.rows.end()) {
                throw std::invalid_argument(
                    made_.file + ": track " + shortened(track.id) + " has two rows for " +
                    (made_.in_seconds ? "second " + number_text(twice->at) : "frame " + number_text(twice->at + 1)));
            }
        }
        return std::move(made_);
    }

private:
    static std::string_view trimmed(std::string_view text) {
        constexpr std::string_view blanks = " \t\r\"";
        const std::size_t first = text.find_first_not_of(blanks);
        return first == std::string_view::npos ? std::string_view()
                                               : text.substr(first, text.find_last_not_of(blanks) - first + 1);
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw std::invalid_argument(made_.file + ":" + std::to_string(line_) + ": " + what);
    }

    void split_line(std::string_view line) {
        fields_.clear();
        for (;;) {
            const std::size_t comma = line.find(',');
            fields_.push_back(trimmed(line.substr(0, comma)));
            if (comma == std::string_view::npos) {
                return;
            }
            line.remove_prefix(comma + 1);
        }
    }

    void take_header() {
        columns_.fill(-1);
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            std::string name(fields_[i]);
            std::ranges::transform(name, name.begin(),
                                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
            const auto found = std::ranges::find(column_names, name);
            if (found == column_names.end()) {
                continue;
            }
            int& column = columns_[static_cast<std::size_t>(found - column_names.begin())];
            if (column >= 0) {
                refuse("the column '" + name + "' is there twice");
            }
            column = static_cast<int>(i);
        }
        if ((columns_[column_frame] < 0) == (columns_[column_time] < 0)) {
            refuse("the header has to name one of frame and time");
        }
        for (std::size_t i = column_id; i < columns_.size(); ++i) {
            if (columns_[i] < 0) {
                refuse("the header does not name the column '" + std::string(column_names[i]) +
                       "'; there are frame or time, id, left, top, width and height");
            }
        }
        made_.in_seconds = columns_[column_time] >= 0;
    }

    [[nodiscard]] std::string_view field(Column column) const {
        const auto at = static_cast<std::size_t>(columns_[column]);
        if (at >= fields_.size()) {
            refuse("there is no " + std::string(column_names[column]) + ": a row has " +
                   std::to_string(*std::ranges::max_element(columns_) + 1) + " columns, and this one " +
                   std::to_string(fields_.size()));
        }
        return fields_[at];
    }

    [[nodiscard]] double number(Column column, double minimum, double maximum) const {
        const std::string_view text = field(column);
        const std::optional<double> value = read_number(text);
        const std::string name(column_names[column]);
        if (!value) {
            refuse(name + " '" + shortened(text) + "' is not a number");
        }
        if (*value < minimum || *value > maximum) {
            refuse(name + " " + shortened(text) + " is out of range" +
                   (column == column_frame ? "; frames count from 1" : ""));
        }
        return *value;
    }

    void take_row() {
        Track::Row row;
        if (made_.in_seconds) {
            row.at = number(column_time, 0, 1e9);
        } else {
            row.at = number(column_frame, 1, 1e12) - 1;
            if (row.at != std::floor(row.at)) {
                refuse("frame " + std::string(field(column_frame)) + " is not a whole number");
            }
        }
        row.box.left = number(column_left, -max_track_coordinate, max_track_coordinate);
        row.box.top = number(column_top, -max_track_coordinate, max_track_coordinate);
        row.box.width = number(column_width, 0, max_track_coordinate);
        row.box.height = number(column_height, 0, max_track_coordinate);
        if (row.box.width == 0 || row.box.height == 0) {
            refuse("width and height are more than 0");
        }
        const std::string id(field(column_id));
        const auto [found, fresh] = numbers_.try_emplace(id, made_.tracks.size());
        if (fresh) {
            made_.tracks.push_back({id, {}});
        }
        made_.tracks[found->second].rows.push_back(row);
    }

    Tracks made_;
    std::map<std::string, std::size_t> numbers_;  // of tracks, by id
    Fields columns_ = motchallenge;
    std::vector<std::string_view> fields_;
    std::size_t line_ = 0;
    bool begun_ = false;
};

TrackBox between(const TrackBox& a, const TrackBox& b, double share) {
    return {std::lerp(a.left, b.left, share), std::lerp(a.top, b.top, share), std::lerp(a.width, b.width, share),
            std::lerp(a.height, b.height, share)};
}

}  // namespace

void Tracks::find(const PictureTime& picture, std::vector<Place>& places) const {
    places.clear();
    const double at = in_seconds ? picture.seconds : static_cast<double>(picture.number);
    const double max_gap = in_seconds ? max_track_gap_seconds : max_track_gap_frames;
    const double hold = in_seconds ? track_hold_seconds : 0;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        const std::vector<Track::Row>& rows = tracks[i].rows;
        const auto next = std::ranges::upper_bound(rows, at, {}, &Track::Row::at);
        const bool first = next == rows.begin();
        const bool last = next == rows.end();
        if (!first && !last && next->at - std::prev(next)->at <= max_gap) {
            const Track::Row& before = *std::prev(next);
            places.push_back({i, between(before.box, next->box, (at - before.at) / (next->at - before.at))});
        } else if (!first && at - std::prev(next)->at <= hold) {
            places.push_back({i, std::prev(next)->box});
        } else if (!last && next->at - at <= hold) {
            places.push_back({i, next->box});
        }
    }
}

Tracks parse_tracks(std::string_view text, const std::string& file) {
    TrackReader reader(file);
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        reader.take(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return reader.finish();
}

Tracks read_tracks(const std::string& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
        throw std::invalid_argument(file + ": " + (error ? error.message() : "is no regular file"));
    }
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > max_track_bytes) {
        throw std::invalid_argument(
            file + ": " +
            (error ? error.message() : "has more than " + std::to_string(max_track_bytes >> 20) + " MiB"));
    }
    std::ifstream in(file, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in) {  // a table of which the end is missing hides less than was asked for
        throw std::invalid_argument(file + ": cannot be read to its end");
    }
    return parse_tracks(text, file);
}

}  // namespace vfilter
