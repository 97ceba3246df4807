// The filter table, its arguments as text, and the sentences for what is wrong with them.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "filters/borders.h"
#include "filters/names.h"
#include "tests/kernels/harness.h"

namespace vfilter::test {

namespace {

const FilterDef& gaussian() {
    return *find_filter("gaussian");
}
const FilterDef& box() {
    return *find_filter("box");
}

// The sentence that refuses the arguments; fails the test if they are accepted.
std::string refusal(const FilterDef& def, const std::string& arguments) {
    try {
        parse_filter(def, arguments);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    ADD_FAILURE() << def.name << " " << arguments << " was accepted";
    return {};
}

void expect_says(const std::string& sentence, std::initializer_list<const char*> words) {
    for (const char* const word : words) {
        EXPECT_NE(sentence.find(word), std::string::npos) << "'" << word << "' is not in: " << sentence;
    }
}

// Without the quotes, as a shell passes it.
std::string unquoted(std::string_view text) {
    std::string result(text);
    std::erase(result, '"');
    return result;
}

TEST(Filters, TableRowsAreComplete) {
    ASSERT_FALSE(filter_table().empty());
    for (const FilterDef& def : filter_table()) {
        EXPECT_EQ(find_filter(def.name), &def);
        EXPECT_FALSE(def.help.empty());
        EXPECT_FALSE(def.formula.empty());
        EXPECT_NO_THROW(parse_filter(def, unquoted(def.example))) << "the example of the help text";
        for (const Parameter& parameter : def.parameters) {
            EXPECT_LE(parameter.minimum, parameter.maximum);
            EXPECT_FALSE(parameter.help.empty());
            EXPECT_NE(parameter.unit.empty(), parameter.choices.empty() && !parameter.colour) << parameter.name;
        }
    }
    EXPECT_EQ(find_filter("gausian"), nullptr);
    EXPECT_EQ(find_filter(""), nullptr);
}

TEST(Filters, ParsesWhatItSays) {
    const FilterSpec plain = parse_filter(gaussian(), "5");
    EXPECT_EQ(plain.def, &gaussian());
    EXPECT_EQ(plain.values, (ParameterValues{5.0, std::nullopt}));
    EXPECT_EQ(plain.border, Border::reflect_101);
    EXPECT_EQ(plain.effective_chroma(), Chroma::scaled);

    const FilterSpec full = parse_filter(gaussian(), "9:sigma=2.25:border=wrap:chroma=off");
    EXPECT_EQ(full.values, (ParameterValues{9.0, 2.25}));
    EXPECT_EQ(full.border, Border::wrap);
    EXPECT_EQ(full.chroma, Chroma::off);

    const FilterSpec named = parse_filter(gaussian(), "chroma=same:sigma=0.05");
    EXPECT_EQ(named.values, (ParameterValues{std::nullopt, 0.05}));
    EXPECT_EQ(named.chroma, Chroma::same);
}

TEST(Filters, TextGoesThereAndBack) {
    for (const FilterDef& def : filter_table()) {
        for (const BorderName& border : border_names) {
            for (const ChromaName& chroma : chroma_names) {
                if (chroma.chroma == Chroma::scaled && !def.has_width) {
                    continue;
                }
                const std::string example = unquoted(def.example);
                const std::string text =
                    example + (example.empty() ? "" : ":") + "border=" + std::string(border.name) +
                    ":chroma=" + std::string(chroma.name) +
                    ":alpha=off:region=10,20,30%,40+0%,0%,100%,12.5%:mask=a b.png:invert=1:feather=7";
                const FilterSpec spec = parse_filter(def, text);
                const FilterSpec again = parse_filter(def, to_string(spec));
                EXPECT_EQ(again.values, spec.values) << text;
                EXPECT_EQ(again.matrix, spec.matrix) << text;
                EXPECT_EQ(again.border, border.border) << text;
                EXPECT_EQ(again.chroma, chroma.chroma) << text;
                EXPECT_EQ(again.alpha, false) << text;
                EXPECT_EQ(again.region, spec.region) << text;
                EXPECT_EQ(again.region.feather, 7) << text;
            }
        }
    }
    for (const char* const text : {"size=5", "sigma=0.1", "size=601:sigma=99.999999999999", "size=3:border=wrap"}) {
        EXPECT_EQ(to_string(parse_filter(gaussian(), text)), text) << "the shortest text of a value is its own";
    }
}

TEST(Filters, EvenSizeNamesBothNeighboursAndSigma) {
    expect_says(refusal(gaussian(), "4"), {"gaussian", "size 4", "even", " 3 ", " 5,", "sigma="});
    expect_says(refusal(gaussian(), "size=600"), {" 599 ", " 601,", "sigma="});
}

TEST(Filters, AdviceNamesOnlyWhatTheFilterTakes) {
    const std::string sentence = refusal(box(), "4");
    expect_says(sentence, {"box", "size 4", "even", " 3 ", " 5"});
    EXPECT_EQ(sentence.find("sigma"), std::string::npos) << "box has no sigma: " << sentence;
}

TEST(Filters, OutOfRangeGivesTheRange) {
    for (const char* const text : {"0", "-3", "603", "1e9", "size=-1"}) {
        expect_says(refusal(gaussian(), text), {"out of range", "1 to 601 pixels", "odd"});
    }
    for (const char* const text : {"sigma=0", "sigma=0.049", "sigma=100.1", "sigma=-2"}) {
        expect_says(refusal(gaussian(), text), {"out of range", "0.05 to 100"});
    }
    expect_says(refusal(gaussian(), "5.5"), {"not a whole number", "1 to 601"});
}

TEST(Filters, TwoSigmasAreBothWithinTheRange) {
    const FilterDef& dog = *find_filter("dog");
    EXPECT_NO_THROW(parse_filter(dog, "62.5"));
    EXPECT_NO_THROW(parse_filter(dog, "100:sigma2=100"));
    expect_says(refusal(dog, "62.6"), {"sigma2", "100 pixels", "62.5"});
    expect_says(refusal(*find_filter("log"), "75.1"), {"out of range", "0.3 to 75"});
}

TEST(Filters, WhatIsNoNumberIsNoNumber) {
    for (const char* const text : {"five", "5px", "", "0x5", "nan", "sigma=", "sigma=inf", "sigma=1e999", "sigma= 2"}) {
        expect_says(refusal(gaussian(), text), {"gaussian", "--help gaussian"});
    }
    expect_says(refusal(gaussian(), "five"), {"'five'", "not a number", "1 to 601"});
}

TEST(Filters, UnknownKeysAndNamesAreAnsweredWithTheNearest) {
    expect_says(refusal(gaussian(), "sgima=2"), {"no parameter 'sgima'", "did you mean 'sigma'?"});
    expect_says(refusal(gaussian(), "5:bordr=wrap"), {"did you mean 'border'?"});
    EXPECT_EQ(refusal(gaussian(), "5:quality=9").find("did you mean"), std::string::npos);
    expect_says(refusal(gaussian(), "5:border=mirror"), {"'mirror'", "reflect_101", "wrap"});
    expect_says(refusal(gaussian(), "5:chroma=yes"), {"'yes'", "scaled, same, off"});
    expect_says(refusal(*find_filter("sobel"), "chroma=scaled"), {"'scaled'", "none of same, off, neutral"});
    expect_says(refusal(gaussian(), "5:7"), {"'7'", "key=value"});
    expect_says(refusal(gaussian(), "border=wrap"), {"a size or a sigma is needed"});
    expect_says(refusal(box(), "sigma=2"), {"no parameter 'sigma'"});
    expect_says(refusal(box(), "chroma=off"), {"a size is needed"});
}

TEST(Filters, AParameterGivenTwiceIsAMistake) {
    expect_says(refusal(gaussian(), "5:size=7"), {"size", "twice"});
    expect_says(refusal(gaussian(), "sigma=1:sigma=2"), {"sigma", "twice"});
    expect_says(refusal(gaussian(), "5:border=wrap:border=wrap"), {"border", "twice"});
}

TEST(Filters, StrengthStepsStayValidAndLeadBack) {
    for (const FilterDef& def : filter_table()) {
        for (const std::string& arguments :
             {unquoted(def.example), std::string(def.needs_arguments() ? unquoted(def.example) : "")}) {
            const FilterSpec start = parse_filter(def, arguments);
            for (const auto& [step, reverse] : {std::pair{StrengthStep::stronger, StrengthStep::weaker},
                                                {StrengthStep::weaker, StrengthStep::stronger}}) {
                FilterSpec at = start;
                int steps = 0;
                for (; steps < 50; ++steps) {
                    const std::optional<FilterSpec> next = stepped(at, step);
                    if (!next) {
                        break;
                    }
                    const FilterSpec again = parse_filter(def, to_string(*next));
                    EXPECT_EQ(again.values, next->values) << to_string(*next);
                    const std::optional<FilterSpec> back = stepped(*next, reverse);
                    ASSERT_TRUE(back) << def.name << ' ' << to_string(*next);
                    for (std::size_t i = 0; i < def.parameters.size(); ++i) {
                        const double was = at.value(i);
                        EXPECT_TRUE(std::isnan(was) || std::abs(back->value(i) - was) <= 0.01 * std::abs(was))
                            << def.name << ' ' << to_string(at) << " -> " << to_string(*next) << " -> "
                            << to_string(*back);
                    }
                    at = *next;
                }
                EXPECT_EQ(steps > 0, !def.strengths.empty()) << def.name << ' ' << arguments;
            }
        }
    }
}

TEST(Filters, StrengthIsWhatTheUserGave) {
    using enum StrengthStep;
    const auto after = [](const char* name, const char* arguments, StrengthStep step) {
        const std::optional<FilterSpec> made = stepped(parse_filter(*find_filter(name), arguments), step);
        return made ? to_string(*made) : "none";
    };
    EXPECT_EQ(after("gaussian", "9", stronger), "size=11");
    EXPECT_EQ(after("gaussian", "9:border=wrap", weaker), "size=7:border=wrap");
    EXPECT_EQ(after("gaussian", "sigma=2", stronger), "sigma=2.5");
    EXPECT_EQ(after("gaussian", "9:sigma=2", weaker), "size=9:sigma=1.6");
    EXPECT_EQ(after("gaussian", "1", weaker), "none");
    EXPECT_EQ(after("gaussian", "601", stronger), "none");
    EXPECT_EQ(after("box", "599", stronger), "size=601");
    EXPECT_EQ(after("sharpen", "0.8", stronger), "amount=0.9");
    EXPECT_EQ(after("sharpen", "", weaker), "amount=0.9");
    EXPECT_EQ(after("sharpen", "0.1", weaker), "amount=0");
    EXPECT_EQ(after("sobel", "", stronger), "scale=1.25");
    EXPECT_EQ(after("emboss", "10", stronger), "none");
    EXPECT_EQ(after("identity", "", stronger), "none");
    EXPECT_EQ(after("kernel", "1 2 1", stronger), "none");
}

TEST(Names, NearestForgivesASlipAndNoMore) {
    const std::string_view names[] = {"gaussian", "box", "border"};
    EXPECT_EQ(nearest_name("gausian", names), "gaussian");
    EXPECT_EQ(nearest_name("guassian", names), "gaussian");
    EXPECT_EQ(nearest_name("gaus", names), "gaussian");
    EXPECT_EQ(nearest_name("bxo", names), "box");
    EXPECT_EQ(nearest_name("bordre", names), "border");
    EXPECT_EQ(nearest_name("median", names), "");
    EXPECT_EQ(nearest_name("", names), "");
    EXPECT_EQ(nearest_name(std::string(100000, 'g'), names), "");
    EXPECT_EQ(suggestion("bxo", names), "; did you mean 'box'?");
    EXPECT_EQ(suggestion("median", names), "");
}

TEST(Filters, GaussianTapsAreTheFormula) {
    const SeparableKernel kernel = kernel_of("gaussian", "9:sigma=1.7");
    ASSERT_EQ(kernel.rows.size(), 9U);
    EXPECT_EQ(kernel.rows, kernel.columns);
    for (int i = 0; i < 4; ++i) {
        const double ratio = kernel.rows[static_cast<std::size_t>(i)] / kernel.rows[4];
        EXPECT_NEAR(ratio, std::exp(-(4 - i) * (4 - i) / (2 * 1.7 * 1.7)), 1e-12);
    }
    EXPECT_EQ(kernel_of("gaussian", "sigma=2").rows.size(), 13U) << "three sigma on either side";
    EXPECT_EQ(kernel_of("gaussian", "sigma=100").rows.size(), std::size_t{max_kernel_size});
    EXPECT_EQ(kernel_of("log", "75").rows.size(), std::size_t{max_kernel_size}) << "four sigma on either side";
}

TEST(Filters, ChromaIsAsWideInThePicture) {
    const auto spread = [](const std::vector<double>& taps) {
        double sum = 0;
        for (std::size_t i = 0; i < taps.size(); ++i) {
            const double at = static_cast<double>(i) - static_cast<double>(taps.size() / 2);
            sum += taps[i] * at * at;
        }
        return std::sqrt(sum);
    };
    for (const char* const name : {"gaussian", "box", "motion"}) {
        for (const char* const size : {"15", "31", "101", "255", "601"}) {
            const SeparableKernel luma = kernel_of(name, size);
            const SeparableKernel chroma = kernel_of(name, size, 2, 1);
            EXPECT_EQ(chroma.columns, luma.columns) << name << ' ' << size;
            EXPECT_NEAR(2 * spread(chroma.rows) / spread(luma.rows), 1, 0.02) << name << ' ' << size;
        }
    }
}

}  // namespace

}  // namespace vfilter::test
