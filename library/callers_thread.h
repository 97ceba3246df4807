#pragma once
// What callers may have set in a thread of theirs, and what the library needs there meanwhile.

#include <pthread.h>

#include <cfenv>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace vfilter {

/// While it lives, numbers are rounded to the nearest, as results are the same bytes everywhere, and the thread is not
/// cancelled, which would unwind through functions that never throw.
class CallersThread {
public:
    CallersThread() {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled_);
        if (rounding_ != FE_TONEAREST && rounding_ >= 0) {
            std::fesetround(FE_TONEAREST);
        }
#if defined(__SSE__)
        if ((control_ & not_usual) != 0) {
            _mm_setcsr(_mm_getcsr() & ~not_usual);
        }
#endif
    }
    ~CallersThread() {
        if (rounding_ != FE_TONEAREST && rounding_ >= 0) {
            std::fesetround(rounding_);
        }
#if defined(__SSE__)
        if ((control_ & not_usual) != 0) {
            _mm_setcsr((_mm_getcsr() & ~not_usual) | (control_ & not_usual));
        }
#endif
        pthread_setcancelstate(cancelled_, nullptr);
    }
    CallersThread(const CallersThread&) = delete;
    CallersThread& operator=(const CallersThread&) = delete;

private:
    int cancelled_ = PTHREAD_CANCEL_ENABLE;
    int rounding_ = std::fegetround();
#if defined(__SSE__)
    // By itself, as fegetround() looks at the other unit alone: rounding, and small numbers that are taken as 0.
    static constexpr unsigned not_usual = 0xe040;
    unsigned control_ = _mm_getcsr();
#endif
};

}  // namespace vfilter
