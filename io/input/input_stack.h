#pragma once
// An input with the layers that it needs, and what these share.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "io/handles.h"
#include "io/input/earlier_subtitles.h"
#include "io/input/evidence/packet_account.h"
#include "io/input/input_request.h"
#include "io/input/layers/backlog.h"
#include "io/input/layers/paced.h"
#include "io/input/layers/read_ahead.h"
#include "io/input/layers/reconnecting.h"
#include "io/input/layers/with_appended.h"
#include "io/input/layers/with_files.h"
#include "io/input/layers/with_sound.h"
#include "io/input/opened_input.h"
#include "io/input/packet_source.h"
#include "io/input/stream_watch.h"

namespace vfilter {

/// An opened input, or a PictureSequence in its place, under the layers that it needs, and how far it was read. From
/// the input to the reader:
///
///     OpenedInput -> KnownStreams -> SameStreams, SilentStreams, FromKeyFrame (live), or KeyedSound (keys), StrayTimes
///                 (files)
///                 -> Counted -> ClockJumps (where clocks jump) -> LoneHoles (files)
///                 -> WithAppended (--append) -> Reconnecting (--reconnect) -> WithSound (--audio-device) -> Backlog
///                 (--live of a pipe) -> ReadAhead -> WithFiles (--add) -> Paced (--live of a file)
///
/// Appended files have their own layers up to LoneHoles. Layers refer to its members, so it must not be moved.
struct InputStack {
    InputStack() = default;
    InputStack(const InputStack&) = delete;
    InputStack& operator=(const InputStack&) = delete;

    std::vector<int> videos;              ///< the filtered ones
    std::vector<AVRational> frame_rates;  ///< by stream
    UnreadLabels unread;
    std::shared_ptr<StreamWatch> watch;
    bool waits = false;                       ///< the other side may be silent for a long time
    DescriptionPtr joint;                     ///< of an input and the files appended to it
    DescriptionPtr description;               ///< of an input that may be opened again, or has files added to it
    const AVFormatContext* format = nullptr;  ///< the input's own, or one of these
    const AVFormatContext* own = nullptr;     ///< the same, without other files' streams
    int own_streams = 0;                      ///< including that of --audio-device
    int device_sound = -1;                    ///< which one that is
    std::optional<PacketAccount> account;
    std::unique_ptr<PacketSource> source;  ///< the topmost layer, which owns those below
    // Its layers, null if the input does not need them. `ahead` always exists.
    WithAppended* appended = nullptr;
    Reconnecting* reconnecting = nullptr;
    WithSound* with_sound = nullptr;
    Backlog* backlog = nullptr;
    ReadAhead* ahead = nullptr;
    WithFiles* with_files = nullptr;
    Paced* paced = nullptr;
    EarlierSubtitles subtitles;  ///< on the screen where the wanted part begins
    bool ended = false;          ///< there is nothing more to read
};

/// Opens an input, and the files appended and added to it. `videos` are to be filtered; if empty, they are chosen.
/// `options`, in which it stores how far to search if its streams say little, and `interrupted` must outlive it. Throws
/// Error.
std::unique_ptr<InputStack> open_stack(InputRequest& options, const std::function<bool()>& interrupted,
                                       std::vector<int> videos = {});

}  // namespace vfilter
