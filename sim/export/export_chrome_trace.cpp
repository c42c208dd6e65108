#include "sim/base/json.hpp"
#include "sim/export/export.hpp"
#include "sim/export/operation_text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double ps_per_s = 1e12;
constexpr double ps_per_us = 1e6;

long long to_ps(double seconds) {
  return std::llround(seconds * ps_per_s);
}

double to_us(long long picoseconds) {
  return static_cast<double>(picoseconds) / ps_per_us;
}

/// Returns all details of an operation but its time.
Json to_json(const SpanDetails& details) {
  Json args = Json::object();
  if (details.size_bytes > 0) args["bytes"] = nine_digits(details.size_bytes);
  if (!details.tensors.empty()) args["tensors"] = details.tensors;
  if (!details.collective) return args;
  args["algorithm"] = to_text(*details.collective);
  if (details.protocol != Protocol::none) args["protocol"] = to_text(details.protocol);
  return args;
}

Json to_json(const TrackSpan& span, int process, int thread) {
  const long long start_ps = to_ps(span.time.start_s);
  return {{"name", span.name},
          {"cat", span.kind ? text_of(*span.kind) : "iteration"},
          {"ph", "X"},
          {"ts", to_us(start_ps)},
          {"dur", to_us(to_ps(span.time.end_s) - start_ps)},
          {"pid", process},
          {"tid", thread},
          {"args", to_json(span.details)}};
}

/// Names a process or a thread, and sets its position among the others.
void add_name(std::vector<Json>& events, const std::string& what, const std::string& name, int process, int thread) {
  const int place = what == "process" ? process : thread;
  events.push_back(
      {{"name", what + "_name"}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}});
  events.push_back({{"name", what + "_sort_index"},
                    {"ph", "M"},
                    {"pid", process},
                    {"tid", thread},
                    {"args", {{"sort_index", place}}}});
}

std::vector<Json> events_of(const std::vector<TrackGroup>& groups) {
  std::vector<Json> events;
  for (int process = 0; const TrackGroup& group : groups) {
    add_name(events, "process", group.name, process, 0);
    for (int thread = 0; const Track& track : group.tracks) {
      add_name(events, "thread", track.name, process, thread);
      for (const TrackSpan& span : track.spans) events.push_back(to_json(span, process, thread));
      ++thread;
    }
    ++process;
  }
  return events;
}

Json facts_of(const std::string& scenario, const PointRun& run) {
  const StepSetup& setup = run.setup;
  Json facts{{"ddlsim", version()},
             {"scenario", scenario},
             {"model", setup.model.name},
             {"cluster", setup.cluster.name},
             {"preset", setup.preset.name},
             {"strategy", to_text(setup.strategy)},
             {"transport", setup.transport.name},
             {"gpus", run.point.gpus},
             {"nodes", run.point.nodes},
             {"fidelity", run.point.fidelity},
             {"iteration_s", nine_digits(run.point.iteration_s)}};
  if (const double scale = track_scale(run.point); scale != 1) facts["time_scale"] = nine_digits(scale);
  return facts;
}

} // namespace

std::string chrome_trace(const std::string& scenario, const PointRun& run) {
  std::string text =
      "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " + json_text(facts_of(scenario, run)) + ",\n\"traceEvents\": [";
  const char* before = "\n";
  for (const Json& event : events_of(tracks_of(run))) {
    text += before + json_text(event);
    before = ",\n";
  }
  return text + "\n]}\n";
}

} // namespace ddlsim
