#pragma once
// HEIF (AVIF, HEIC): pictures that are items of the file's own `meta` box, without a movie.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/mp4_parts.h"

namespace vfilter {

/// What a `meta` box says about its pictures and the location of their data.
class HeifItems {
public:
    /// `meta` is the box's payload. Empty if it is about something else: such boxes also contain tags.
    static std::optional<HeifItems> read(Bytes meta);
    /// Checks whether the data of every picture are in the file, outside `gaps`, and whether all of them are read. The
    /// box is at `at`.
    /// lies at `at`.
    void judge(std::int64_t at, std::int64_t file_size, const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps,
               const TellFault& tell) const;
    /// What FFmpeg 5 does not read in a file with this brand, returning garbage instead of a picture; "" for nothing.
    [[nodiscard]] std::string beyond_plain_avif(std::uint32_t brand) const;

    /// What the file says about its picture, and FFmpeg 5 does not read.
    struct Said {
        std::uint64_t orientation = 1;        // EXIF's
        std::vector<std::uint8_t> profile{};  // ICC.1
        bool part = false;                    // not all of it is to be displayed
        bool exif = false;
        bool xmp = false;
    };
    [[nodiscard]] const Said& said() const { return said_; }

private:
    using Extents = std::vector<std::pair<std::int64_t, std::int64_t>>;  // of the file: from, to
    struct Item {
        std::uint64_t id = 0;
        std::uint32_t kind = 0;   // as it is coded
        bool picture = false;     // that is displayed by itself, according to its own entry
        bool part = false;        // of another one, or a smaller or otherwise derived form of it
        std::uint64_t about = 0;  // the one for which it is an auxiliary picture
        Extents extents{};
    };
    struct Property {
        std::uint32_t kind = 0;
        Bytes box{};
    };
    struct PlaceSizes {  // sizes in bytes of the fields of a location
        std::uint64_t version = 0;
        std::size_t offset = 0, length = 0, base = 0, index = 0;
    };
    struct NumberReader;

    Item& item(std::uint64_t id);
    void read_handler(Bytes hdlr);
    void read_primary(Bytes pitm);
    void read_places(Bytes iloc);
    bool read_place(NumberReader& numbers, Extents& extents, const PlaceSizes& sizes);
    void read_entries(Bytes iinf);
    void read_entry(Bytes infe);
    void read_references(Bytes iref);
    void read_properties(Bytes iprp);
    void read_associations(Bytes ipma, const std::vector<Property>& described);
    void read_property(const Property& property);
    void turn(std::size_t how);
    void judge_extents(const Item& item, std::int64_t at, std::int64_t file_size,
                       const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps, const TellFault& tell) const;

    bool pictures_ = false;  // it is about pictures
    std::uint64_t primary_ = 0;
    bool describes_alpha_ = false;  // some item is marked as alpha
    Said said_;
    std::array<std::uint64_t, 2> size_{};                  // of the picture
    std::optional<std::array<std::uint64_t, 4>> shown_{};  // the displayed part's width and height, two fractions each
    bool places_first_ = false;                            // the data's locations come before the primary item
    bool whole_ = true;                                    // the boxes fit into each other
    std::vector<Item> items_;
    std::map<std::uint64_t, std::size_t> places_;  // of items_, by id
    int extents_ = 0;                              // of all
};

}  // namespace vfilter
