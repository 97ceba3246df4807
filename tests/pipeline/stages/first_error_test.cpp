#include "pipeline/stages/first_error.h"

#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include "config/error.h"
#include "pipeline/report/stats.h"

namespace vfilter {
namespace {

void fail(FirstError& errors, StageId stage, const std::function<void()>& thrower) {
    try {
        thrower();
    } catch (...) {
        errors.keep(name_of(stage));
    }
}

// Code and sentence.
std::pair<ExitCode, std::string> kept(const FirstError& errors) {
    try {
        errors.rethrow_if_any();
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {ExitCode::finished, ""};
}

TEST(FirstError, IsNoneAtFirst) {
    const FirstError errors;
    EXPECT_FALSE(errors.get());
    EXPECT_NO_THROW(errors.rethrow_if_any());
}

TEST(FirstError, KeepsTheFirstOfTwoWithItsStage) {
    FirstError errors;
    fail(errors, StageId::encode, [] { throw Error(ExitCode::encoder, "gave up"); });
    fail(errors, StageId::write, [] { throw Error(ExitCode::output, "disk full"); });
    EXPECT_EQ(kept(errors), std::pair(ExitCode::encoder, std::string("encode: gave up")));
}

TEST(FirstError, MakesAnErrorOfWhatIsNone) {
    struct Row {
        std::function<void()> thrower;
        const char* message;
    };
    const Row rows[] = {
        {[] { throw std::bad_alloc(); }, "filter: out of memory"},
        {[] { throw std::runtime_error("odd"); }, "filter: odd"},
        {[] { throw 7; }, "filter: unknown error"},
    };
    for (const Row& row : rows) {
        FirstError errors;
        fail(errors, StageId::filter, row.thrower);
        EXPECT_EQ(kept(errors), std::pair(ExitCode::internal, std::string(row.message)));
    }
}

}  // namespace
}  // namespace vfilter
