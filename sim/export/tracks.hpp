#pragma once
// A predicted iteration as tracks of spans: a group for each role, a track for each stream, and a group for the parts
// of the iteration, some of which are outside the graph.

#include "sim/iteration/step.hpp"
#include "sim/predict/prediction.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// What a span moves, and how. Fields that do not apply are 0 or empty.
struct SpanDetails {
  double size_bytes = 0;
  std::vector<std::string> tensors{};         ///< the tensors whose gradients it moves
  std::optional<CollectiveKind> collective{}; ///< the collective that the library runs
  Protocol protocol = Protocol::none;         ///< the protocol that the library uses
};

struct TrackSpan {
  std::string name;
  std::optional<OperationKind> kind{}; ///< kind of the operation; none: the span is a part of the iteration
  Span time{};
  SpanDetails details{};
};

/// Spans in the order of time, without overlap.
struct Track {
  std::string name;
  std::vector<TrackSpan> spans;
};

struct TrackGroup {
  std::string name; ///< name of the role and its ranks
  std::vector<Track> tracks;
};

/// The point whose number is shown, with its setup and its run.
struct PointRun {
  const StepSetup& setup;
  const PredictedPoint& point;
  const StepRun& run;
};

/// Returns the factor of the tracks' times. Where measured runs take less time than the mechanisms predict (a negative
/// `unexplained`), all times are shortened by one factor; else it is 1. Input keeps its length.
double track_scale(const PredictedPoint& point);

/// Returns the groups of tracks. The first has the iteration's own parts one after another, which sum to
/// `point.iteration_s`: the parts of the graph, then those that have no place inside an iteration. A group for each
/// role follows, and one for servers. The push of a shard lasts from when it is ready and the one before it is summed
/// until it is summed itself, on the last worker. The pull lasts from then on, or from when the one before it is
/// pulled, until the slowest worker has it.
///
/// Asynchronous workers repeat compute independently of each other, so the servers' track has one span of mean length.
/// A slow worker's own iteration is then longer than the mean one, and its track ends later.
std::vector<TrackGroup> tracks_of(const PointRun& run);

} // namespace ddlsim
