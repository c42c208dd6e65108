#pragma once
// A predicted iteration as tracks of spans: a group a role, a track a stream, and what stands outside the graph.

#include "sim/iteration/step.hpp"
#include "sim/predict/prediction.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// What a span moves, and how; what does not apply is 0 or empty.
struct SpanDetails {
  double size_bytes = 0;
  std::vector<std::string> tensors{};         ///< whose gradients
  std::optional<CollectiveKind> collective{}; ///< which the library runs
  Protocol protocol = Protocol::none;         ///< by which it runs that
};

struct TrackSpan {
  std::string name;
  std::optional<OperationKind> kind{}; ///< none: a part of the iteration
  Span time{};
  SpanDetails details{};
};

/// Spans in order, none over another.
struct Track {
  std::string name;
  std::vector<TrackSpan> spans;
};

struct TrackGroup {
  std::string name; ///< of the role, with its ranks
  std::vector<Track> tracks;
};

/// The point whose number is shown, the setup and the run behind it.
struct PointRun {
  const StepSetup& setup;
  const PredictedPoint& point;
  const StepRun& run;
};

/// What the tracks' times are multiplied with: where measured runs take less than the mechanisms say (a negative
/// `unexplained`), all of them are shortened alike; else 1. Input is as long as it is.
double track_scale(const PredictedPoint& point);

/// First the group of the iteration's own parts, one after another, whose sum is `point.iteration_s`: what the graph
/// takes, then what has no place inside an iteration. Then a group for each role, and one for servers. A shard is
/// pushed from when it is ready and the one before it is summed until it is summed itself, on the last worker, and
/// pulled from then on, or when the one before it is pulled, until the slowest worker has it.
///
/// Asynchronous workers repeat their compute each for itself: what servers take is one span, of its mean. A slow
/// worker's own iteration is then longer than the mean one, and its track ends later.
std::vector<TrackGroup> tracks_of(const PointRun& run);

} // namespace ddlsim
