#include "trainer/records/record_file.hpp"

#include "trainer/files/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace ddltrain {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

/// A clock's nanoseconds in a time of a millisecond. More would be noise and bytes.
double six_digits(double value) {
  return rounded(value, 6);
}

/// Of one repetition, which spreads by a thousandth at the least.
double four_digits(double value) {
  return rounded(value, 4);
}

double positive(double value, const char* what) {
  if (!std::isfinite(value) || value <= 0) {
    throw std::logic_error(fmt::format("a record with {} {}", what, value));
  }
  return six_digits(value);
}

Json head_json(const char* kind, const RecordHead& head) {
  Json json{{"record", kind},          {"series", head.series},      {"origin", "run"}, {"transport", head.transport},
            {"library", head.library}, {"statistic", head.statistic}};
  if (head.repeats > 0) json["repeats"] = head.repeats;
  // Beyond it a single outlier speaks, and readers refuse it; the samples and the note's MAD tell more.
  constexpr double largest_spread = 100;
  if (head.relative_spread > 0 && head.relative_spread <= largest_spread)
    json["relative_spread"] = six_digits(head.relative_spread);
  if (head.suspect) json["suspect"] = true;
  if (!head.note.empty()) json["note"] = head.note;
  return json;
}

/// The samples come last, so that a reader's eye meets the value first.
std::string finish(Json json, const RecordHead& head) {
  if (!head.samples_s.empty()) {
    Json& samples = json["samples_s"] = Json::array();
    for (const double sample : head.samples_s) {
      samples.push_back(four_digits(positive(sample, "a sample of")));
    }
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

struct Value {
  double value;
  const char* unit;
};

/// A record of one measured figure; fields: what it is of.
std::string measured_line(const char* kind, const RecordHead& head, const Json& fields, const Value& measured) {
  Json json = head_json(kind, head);
  json.update(fields);
  json["value"] = positive(measured.value, "a value of");
  json["unit"] = measured.unit;
  return finish(std::move(json), head);
}

Json strategy_json(const StrategyText& strategy) {
  Json json{{"name", strategy.name}};
  if (strategy.name == "ps" || strategy.name == "ps-async") {
    json["servers"] = strategy.servers > 0 ? Json{{"count", strategy.servers}} : Json{{"equal_workers", true}};
    json["placement"] = strategy.placement;
    json["sharding"] = strategy.sharding;
  }
  return json;
}

} // namespace

std::string record_line(const ContextRecord& context) {
  Json json{{"record", "context"}, {"version", 1}, {"cluster", context.cluster}};
  if (!context.gpu.empty()) json["gpu"] = context.gpu;
  json["machine"] = context.machine;
  json["software"] = context.software;
  json["date"] = context.date;
  json["who"] = context.who;
  json["source"] = {{"title", context.title}};
  json["emulated"] = context.emulated;
  return finish(std::move(json), {});
}

std::string record_line(const StepRecord& record) {
  const Json fields{{"model", record.model},
                    {"precision", record.precision},
                    {"wire_precision", record.wire_precision},
                    {"batch_per_gpu", record.batch_per_gpu},
                    {"preset", record.preset},
                    {"strategy", strategy_json(record.strategy)},
                    {"algorithm", record.algorithm},
                    {"gpus", record.gpus},
                    {"nodes", record.nodes},
                    {"gpus_per_node", record.gpus_per_node},
                    {"synchronised", record.synchronised},
                    {"data", record.data},
                    {"mode", record.mode}};
  return measured_line("step", record.head, fields, {record.iteration_s, "s"});
}

std::string record_line(const CollectiveRecord& record) {
  const Json fields{{"operation", record.operation},
                    {"algorithm", record.algorithm},
                    {"ranks", record.ranks},
                    {"nodes", record.nodes},
                    {"size_bytes", record.size_bytes}};
  return measured_line("collective", record.head, fields, {record.time_s, "s"});
}

std::string record_line(const PointToPointRecord& record) {
  Json fields{{"size_bytes", record.size_bytes}};
  if (record.nodes > 0) fields["nodes"] = record.nodes;
  return measured_line("point_to_point", record.head, fields, {record.time_s, "s"});
}

std::string record_line(const LayerRecord& record) {
  Json fields{{"model", record.model}, {"layer", record.layer},         {"kind", record.kind},
              {"pass", record.pass},   {"precision", record.precision}, {"batch", record.batch}};
  if (record.flop > 0) fields["flop"] = record.flop;
  if (record.size_bytes > 0) fields["size_bytes"] = record.size_bytes;
  return measured_line("layer", record.head, fields, {record.time_s, "s"});
}

std::string record_line(const ServerRecord& record) {
  Json fields{{"what", record.what}};
  if (record.workers > 0) fields["workers"] = record.workers;
  if (record.nodes > 0) fields["nodes"] = record.nodes;
  if (record.size_bytes > 0) fields["size_bytes"] = record.size_bytes;
  return measured_line("server", record.head, fields, {record.rate_Bps, "B/s"});
}

std::string record_line(const InputRecord& record) {
  const bool samples = record.samples_per_s > 0;
  return measured_line("input", record.head, {{"what", record.what}},
                       samples ? Value{record.samples_per_s, "samples/s"} : Value{record.rate_Bps, "B/s"});
}

std::string record_line(const LossRecord& record) {
  Json json = head_json("loss", record.head);
  json["model"] = record.model;
  json["epoch"] = record.epoch;
  json["step"] = record.step;
  if (!std::isfinite(record.loss)) {
    throw std::logic_error(fmt::format("a record with a loss of {}", record.loss));
  }
  json["value"] = record.loss;
  if (record.accuracy) json["accuracy"] = *record.accuracy;
  return finish(std::move(json), record.head);
}

namespace {

constexpr int kReadableByAll = 0644;

/// Returns 0, or the errno of the failure.
int write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t now = ::write(descriptor, text.data() + done, text.size() - done);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return errno;
    if (now == 0) return ENOSPC;
    done += static_cast<std::size_t>(now);
  }
  return 0;
}

} // namespace

RecordFile::RecordFile(const std::filesystem::path& file, const ContextRecord& context) : file_(file) {
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll);
  if (descriptor_ < 0) fail(errno);
  try {
    write_line(record_line(context));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RecordFile::~RecordFile() {
  ::close(descriptor_);
}

void RecordFile::write_line(const std::string& line) {
  const std::string text = line + "\n";
  const int error = write_all(descriptor_, text);
  if (error != 0) {
    // A pipe or device cannot be cut; there is nothing more to do for its reader.
    [[maybe_unused]] const int cut = ::ftruncate(descriptor_, written_bytes_);
    fail(error);
  }
  written_bytes_ += static_cast<std::int64_t>(text.size());
}

void RecordFile::fail(int error) {
  throw RunError("cannot write " + file_.string() + ": " + std::strerror(error) +
                 (written_bytes_ > 0 ? "; the lines written before are whole" : ""));
}

} // namespace ddltrain
