#include "sim/export/tracks.hpp"

#include "sim/export/operation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace ddlsim {
namespace {

std::string ranks_text(const std::string& name, int ranks) {
  return fmt::format("{} ({} rank{})", name, ranks, ranks == 1 ? "" : "s");
}

/// Returns the details of the span of one operation.
SpanDetails details_of(const Graph& graph, const TensorNames& names, std::size_t operation) {
  const Operation& of = graph.operations[operation];
  return {of.size_bytes, names.of_operation(of)};
}

/// Returns whether a span joins the one before it. A compute span joins one of the same name if it takes no time, as
/// further gradients of a layer do that are ready together.
bool joins(const TrackSpan& before, const TrackSpan& span) {
  return span.kind == OperationKind::compute && !(span.time.end_s > span.time.start_s) && before.name == span.name;
}

/// Returns the operations of a stream in the order in which they run.
std::vector<TrackSpan> spans_of_stream(const StepRun& run, const TensorNames& names, std::size_t stream) {
  std::vector<TrackSpan> spans;
  for (std::size_t i = 0; i < run.graph.operations.size(); ++i) {
    const Operation& operation = run.graph.operations[i];
    if (operation.stream != stream) continue;
    if (operation.kind == OperationKind::input && !(operation.duration_s > 0)) continue;
    TrackSpan span{layer_text_of(run.graph, operation, names), operation.kind, run.execution.spans[i],
                   details_of(run.graph, names, i)};
    if (!spans.empty() && joins(spans.back(), span)) {
      auto& tensors = spans.back().details.tensors;
      tensors.insert(tensors.end(), span.details.tensors.begin(), span.details.tensors.end());
    } else {
      spans.push_back(std::move(span));
    }
  }
  const auto earlier = [](const TrackSpan& a, const TrackSpan& b) { return a.time.start_s < b.time.start_s; };
  // paths run the operations in the order in which they become ready
  std::stable_sort(spans.begin(), spans.end(), earlier);
  return spans;
}

/// Returns the collectives that ran. One collective may be several fused operations.
std::vector<TrackSpan> spans_of_collectives(const StepRun& run, const TensorNames& names, std::size_t stream) {
  std::vector<TrackSpan> spans;
  for (const Collective& collective : run.execution.collectives) {
    if (run.graph.operations[collective.first].stream != stream) continue;
    auto details = details_of(run.graph, names, collective.first);
    details.size_bytes = collective.size_bytes;
    details.collective = collective.cost.collective;
    details.protocol = collective.cost.protocol;
    details.tensors = names.of_group(run.graph.operations[collective.first].tensor, collective.tensors);
    const Operation& first = run.graph.operations[collective.first];
    spans.push_back({text_of_collective(run.graph, first), first.kind, collective.span, details});
  }
  return spans;
}

/// Returns one server's pushes and pulls, in the order in which its connections send them.
std::pair<Track, Track> tracks_of_server(const StepRun& run, const TensorNames& names, std::size_t stream) {
  const std::string server = fmt::format("server {}", run.graph.streams[stream].number);
  Track push{server + ": push", {}};
  Track pull{server + ": pull", {}};
  double summed_s = 0;
  double pulled_s = 0;
  for (const std::size_t i : by_end(run, stream)) {
    const Span& span = run.execution.spans[i];
    const auto details = details_of(run.graph, names, i);
    const std::string tensor = details.tensors.empty() ? "" : " " + details.tensors.front();
    const double sum_s = run.execution.summed_s[i];
    push.spans.push_back(
        {"push" + tensor, OperationKind::push_pull, {std::max(span.start_s, summed_s), sum_s}, details});
    pull.spans.push_back({"pull" + tensor, OperationKind::push_pull, {std::max(sum_s, pulled_s), span.end_s}, details});
    summed_s = sum_s;
    pulled_s = span.end_s;
  }
  return {push, pull};
}

std::string name_of_collectives(const Graph& graph, std::size_t stream) {
  const bool has_all_reduces =
      std::any_of(graph.operations.begin(), graph.operations.end(), [&](const Operation& operation) {
        return operation.stream == stream && operation.kind == OperationKind::all_reduce;
      });
  return has_all_reduces ? "all-reduces" : "collectives";
}

/// Returns the name of a stream of transfers, from its first operation: a stage sends one kind of data in each
/// direction.
std::string name_of_transfers(const Graph& graph, std::size_t stream) {
  for (const Operation& operation : graph.operations) {
    if (operation.stream != stream) continue;
    if (operation.keys) return "keys and values of context groups";
    if (operation.kind == OperationKind::all_gather)
      return operation.micro_batch >= 0 ? "collectives inside layers" : "gathers and scatters among replicas";
    if (operation.kind != OperationKind::send) return name_of_collectives(graph, stream);
    return operation.part == ComputePart::forward ? "outputs to the next stage" : "gradients to the stage before";
  }
  return "transfers";
}

std::string name_of_stream(const Graph& graph, std::size_t stream) {
  const Stream& of = graph.streams[stream];
  switch (of.kind) {
  case StreamKind::compute:
    return "compute";
  case StreamKind::input:
    return "input of the next iteration";
  case StreamKind::collectives:
    return name_of_collectives(graph, stream);
  case StreamKind::transfers:
    return name_of_transfers(graph, stream);
  case StreamKind::host:
    return of.number == 0 ? "copies to the host" : of.number == 1 ? "processors of the host" : "copies from the host";
  case StreamKind::path: {
    const auto& operations = graph.operations;
    const auto first = std::find_if(operations.begin(), operations.end(),
                                    [&](const Operation& operation) { return operation.stream == stream; });
    const std::string does = first == operations.end() ? "path" : text_of(first->kind);
    return fmt::format("{} inside the node, path {}", does, of.number);
  }
  case StreamKind::connection:
    break;
  }
  return fmt::format("server {}", of.number);
}

TrackGroup group_of_role(const StepRun& run, const TensorNames& names, std::size_t role) {
  TrackGroup group{ranks_text(run.graph.roles[role].name, run.graph.roles[role].ranks), {}};
  for (std::size_t stream = 0; stream < run.graph.streams.size(); ++stream) {
    const Stream& of = run.graph.streams[stream];
    if (of.role != role || of.kind == StreamKind::connection) continue;
    auto spans = of.kind == StreamKind::collectives ? spans_of_collectives(run, names, stream)
                                                    : spans_of_stream(run, names, stream);
    if (!spans.empty()) group.tracks.push_back({name_of_stream(run.graph, stream), std::move(spans)});
  }
  return group;
}

bool is_asynchronous(const StepRun& run) {
  return run.graph.servers.asynchronous;
}

/// Returns the mean iteration of asynchronous servers as one span, from the end of compute to the end of the iteration.
Track mean_of_servers(const PointRun& of, const std::vector<Track>& worker) {
  const PredictedPoint& point = of.point;
  double compute_end_s = 0;
  for (const Track& track : worker)
    if (track.spans.back().kind != OperationKind::input)
      compute_end_s = std::max(compute_end_s, track.spans.back().time.end_s);
  SpanDetails details;
  for (const Operation& operation : of.run.graph.operations)
    if (operation.kind == OperationKind::push_pull) details.size_bytes += operation.size_bytes;
  const double end_s = point.parts.compute_s + point.parts.exposed_communication_s + point.parts.synchronisation_s;
  Track track{"push and pull, mean of many iterations", {}};
  if (end_s > compute_end_s)
    track.spans.push_back({"push and pull", OperationKind::push_pull, {compute_end_s, end_s}, details});
  return track;
}

TrackGroup group_of_servers(const PointRun& of, const TensorNames& names, const std::vector<Track>& worker) {
  const auto& machine = of.run.graph.servers.machine;
  TrackGroup group{fmt::format("parameter servers ({} {})", machine.servers,
                               to_text(machine.dedicated ? Placement::dedicated : Placement::colocated)),
                   {}};
  if (is_asynchronous(of.run)) {
    group.tracks.push_back(mean_of_servers(of, worker));
    return group;
  }
  for (std::size_t stream = 0; stream < of.run.graph.streams.size(); ++stream) {
    if (of.run.graph.streams[stream].kind != StreamKind::connection) continue;
    auto [push, pull] = tracks_of_server(of.run, names, stream);
    if (push.spans.empty()) continue; // this server has no shards
    group.tracks.push_back(std::move(push));
    group.tracks.push_back(std::move(pull));
  }
  return group;
}

bool has_servers(const Graph& graph) {
  return std::any_of(graph.streams.begin(), graph.streams.end(),
                     [](const Stream& stream) { return stream.kind == StreamKind::connection; });
}

/// The name of a part of the iteration, and its seconds.
using IterationPart = std::pair<const char*, double>;

/// Returns the parts of the iteration that the point's row shows, in a possible order in time. A slow node's compute is
/// in the graph.
std::vector<IterationPart> parts_in_order(const PointRun& of) {
  const IterationParts& of_point = of.point.parts;
  const IterationPart synchronisation{"synchronisation", of_point.synchronisation_s};
  const IterationPart exposed{"exposed communication", of_point.exposed_communication_s};
  std::vector<IterationPart> parts{{"compute", of_point.compute_s},
                                   {"bubble", of_point.bubble_s},
                                   {"straggling: the slow node", of_point.slow_node_s}};
  if (is_asynchronous(of.run)) {
    parts.insert(parts.begin(), synchronisation);
    parts.push_back(exposed);
  } else {
    parts.push_back(exposed);
    parts.push_back(synchronisation);
  }
  parts.emplace_back("straggling", of_point.straggling_s - of_point.slow_node_s);
  parts.emplace_back("neighbours", of_point.neighbours_s);
  parts.emplace_back("unexplained", of_point.unexplained_s);
  return parts;
}

/// Returns the parts that take time, placed one after another.
TrackGroup group_of_parts(const PointRun& of) {
  Track track{"parts", {}};
  double now_s = 0;
  const auto add = [&](const char* name, double seconds) {
    if (!(seconds > 0)) return;
    track.spans.push_back({name, {}, {now_s, now_s + seconds}, {}});
    now_s += seconds;
  };
  const double scale = track_scale(of.point);
  for (const auto& [name, seconds] : parts_in_order(of)) add(name, scale * seconds);
  add("input wait", of.point.parts.input_wait_s);
  if (!track.spans.empty()) track.spans.back().time.end_s = of.point.iteration_s; // the exact end, without rounding
  return {"iteration", {track}};
}

void shorten(std::vector<TrackGroup>& groups, double scale) {
  for (TrackGroup& group : groups)
    for (Track& track : group.tracks)
      for (TrackSpan& span : track.spans)
        if (span.kind != OperationKind::input) span.time = {scale * span.time.start_s, scale * span.time.end_s};
}

} // namespace

double track_scale(const PredictedPoint& point) {
  if (!(point.parts.unexplained_s < 0)) return 1;
  const double without_input_s = point.iteration_s - point.parts.input_wait_s;
  return without_input_s / (without_input_s - point.parts.unexplained_s);
}

std::vector<TrackGroup> tracks_of(const PointRun& of) {
  const TensorNames names(of.setup.model, of.run.graph);
  std::vector<TrackGroup> groups;
  for (std::size_t role = 0; role < of.run.graph.roles.size(); ++role)
    groups.push_back(group_of_role(of.run, names, role));
  if (has_servers(of.run.graph)) groups.push_back(group_of_servers(of, names, groups.front().tracks));
  shorten(groups, track_scale(of.point));
  groups.insert(groups.begin(), group_of_parts(of));
  return groups;
}

} // namespace ddlsim
