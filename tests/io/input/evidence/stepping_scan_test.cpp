// The loop of the scans, by one of a container that is made for it: units of the mark "UNIT", the size of what they
// hold, and that.

#include "io/input/evidence/stepping_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace vfilter {
namespace {

constexpr std::size_t unit_head = 5;
constexpr std::uint32_t unit_marks[] = {mark("UNIT")};

class UnitScan final : public SteppingScan<UnitScan> {
public:
    explicit UnitScan(std::vector<std::string>& met) : SteppingScan(&UnitScan::unit, unit_head), met_(met) {}
    void end(std::int64_t size) override {
        if (here() > size) {
            fault(size, "the file ends inside of a unit");
        }
        fault_rare(empty_, 2, "an empty unit");
    }

private:
    void unit(Bytes bytes) {
        if (is_short(bytes)) {
            return stop();
        }
        if (text(bytes, 0, 4) != "UNIT") {
            return lose("no unit", &UnitScan::search);
        }
        if (bytes[4] == 0) {
            empty_.push_back(here());
            return move_to(here() + static_cast<std::int64_t>(unit_head));
        }
        ask(here() + static_cast<std::int64_t>(unit_head), bytes[4], &UnitScan::held);
    }
    void held(Bytes bytes) {
        const std::int64_t after = here() + signed_value(wanted());
        if (is_short(bytes)) {
            return stop_at(after);
        }
        met_.emplace_back(text(bytes));
        move_to(after);
    }
    void search(Bytes window) {
        if (const auto found = find_mark(window, unit_marks)) {
            return move_to(here() + signed_value(*found));
        }
        search_on(window, 3);
    }

    std::vector<std::string>& met_;
    std::vector<std::int64_t> empty_;
};

std::string unit(const std::string& held) {
    return "UNIT" + std::string(1, static_cast<char>(held.size())) + held;
}

struct Told {
    std::vector<std::string> met;
    std::vector<std::int64_t> places;
    std::vector<std::string> faults;
};

Told scan_in_pieces(const std::string& file, std::size_t piece) {
    Told told;
    ScanFeeder feeder(std::make_unique<UnitScan>(told.met));
    const Bytes all(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    for (std::size_t at = 0; at < all.size(); at += piece) {
        feeder.feed(signed_value(at), part(all, at, piece));
    }
    feeder.finish(signed_value(file.size()), {});
    EXPECT_TRUE(feeder.complete());
    for (const ContainerFault& fault : feeder.scan().faults()) {
        told.places.push_back(fault.offset);
        told.faults.push_back(fault.what);
    }
    return told;
}

TEST(SteppingScan, GoesFromUnitToUnitThroughWhatTheyHold) {
    for (const std::size_t piece : {1U, 3U, 1000U}) {
        const Told told = scan_in_pieces(unit("one") + unit("a second") + unit("3"), piece);
        EXPECT_EQ(told.met, (std::vector<std::string>{"one", "a second", "3"})) << piece;
        EXPECT_TRUE(told.faults.empty());
    }
}

// Wherever the windows end in which it is searched.
TEST(SteppingScan, FindsTheNextUnitBehindDamage) {
    for (std::size_t beside = 0; beside < 8; ++beside) {
        const std::string junk(search_window - 4 + beside, 'x');
        const Told told = scan_in_pieces(unit("one") + junk + unit("two"), 777);
        EXPECT_EQ(told.met, (std::vector<std::string>{"one", "two"})) << beside;
        EXPECT_EQ(told.places, std::vector<std::int64_t>{8});
        EXPECT_EQ(told.faults, std::vector<std::string>{"no unit"});
    }
    const Told none = scan_in_pieces(unit("one") + std::string(3 * search_window, 'x'), 777);
    EXPECT_EQ(none.met, std::vector<std::string>{"one"});
    EXPECT_EQ(none.places, std::vector<std::int64_t>{8});
}

TEST(SteppingScan, KnowsWhereTheFileShouldEnd) {
    const std::string whole = unit("one") + unit("two");
    const Told told = scan_in_pieces(whole.substr(0, whole.size() - 1), 4);
    EXPECT_EQ(told.met, std::vector<std::string>{"one"});
    EXPECT_EQ(told.faults, std::vector<std::string>{"the file ends inside of a unit"});
}

TEST(SteppingScan, TellsOfWhatIsRareAlone) {
    const std::string empty = unit("");
    EXPECT_EQ(scan_in_pieces(empty + unit("one") + empty, 4).places, (std::vector<std::int64_t>{0, 13}));
    EXPECT_TRUE(scan_in_pieces(empty + empty + empty, 4).places.empty());
}

}  // namespace
}  // namespace vfilter
