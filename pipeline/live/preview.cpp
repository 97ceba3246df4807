#include "pipeline/live/preview.h"

#include <utility>

#include "pipeline/live/playback.h"
#include "pipeline/live/preview_run.h"

namespace vfilter {

Preview::Preview(const std::string& title, std::vector<FilterSpec> filters)
    : Preview(open_preview_window(title), std::move(filters)) {}

Preview::Preview(std::unique_ptr<PreviewWindow> window, std::vector<FilterSpec> filters)
    : window_(std::move(window)),
      filters_(std::move(filters)),
      run_(std::make_unique<PreviewRun>(*window_, filters_, counters_)) {}

Preview::~Preview() = default;

std::optional<double> Preview::run(Channel<Frame>& frames, const PreviewedVideo& video, const PreviewHooks& hooks) {
    Ticker ticker(hooks.tick);
    {
        LivePlayback as_they_come(frames);
        PacedPlayback at_their_times(frames, video.clock.time_base);
        Playback& playback = video.paced ? static_cast<Playback&>(at_their_times) : as_they_come;
        const PreviewRun::End end = run_->show_stretch({video, hooks, playback, ticker});
        if (end == PreviewRun::End::elsewhere) {
            return run_->wanted();
        }
        const bool goes_on = window_->lost() && hooks.lost && hooks.lost();
        if (end == PreviewRun::End::quit && hooks.stop && !goes_on) {
            hooks.stop();
        }
    }
    run_.reset();
    window_.reset();
    for (bool ended = false; !ended;) {
        ended = frames.receive_for(Ticker::interval).ended;
        ticker.look();
    }
    return std::nullopt;
}

}  // namespace vfilter
