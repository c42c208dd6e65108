#include "cli/commands.hpp"
#include "diagnose/diagnose.hpp"
#include "import/importers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/known_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ddlsim {
namespace {

constexpr int not_normal = 3;

/// What the scenario says of a log where the log leaves it open.
class LogReading {
public:
  LogReading(const DiagnoseCommand& command, const Scenario& scenario, const Curve& curve, const DataFolder& data)
      : command_(command), scenario_(scenario), transport_(curve.setup.transport.name) {
    context_.cluster = scenario.cluster;
    context_.columns = command.columns;
    context_ = with_shipped_names(context_, data);
    const auto cluster = context_.find_cluster(scenario.cluster);
    if (cluster && command.ranks > 0) nodes_ = (command.ranks - 1) / std::max(1, cluster->gpus_per_node) + 1;
  }

  Imported read(const std::filesystem::path& file) const {
    LogSource source(file);
    const auto kind = guess_kind(source);
    if (kind.empty() || makes_model(kind))
      throw UserError(file.string(), "",
                      "this is no log that is known by its content; `ddlsim import KIND FILE` makes records of it, "
                      "which can be given here");
    auto context = context_;
    context.given = given_for(importer_of(kind).figures);
    return importer_of(kind).import(std::move(source), context);
  }

private:
  std::map<std::string, std::string> given_for(LogFigures figures) const {
    std::map<std::string, std::string> given{{"transport", transport_}};
    const auto ranks = std::to_string(command_.ranks);
    if (command_.ranks > 0) given[figures == LogFigures::collectives ? "ranks" : "gpus"] = ranks;
    if (nodes_ > 0 && figures == LogFigures::collectives) given["nodes"] = std::to_string(nodes_);
    if (figures == LogFigures::collectives) return given;
    given["model"] = scenario_.model;
    given["batch_per_gpu"] = fmt::format("{}", scenario_.batch_per_gpu);
    given["precision"] = to_text(scenario_.precision);
    return given;
  }

  const DiagnoseCommand& command_;
  const Scenario& scenario_;
  ImportContext context_;
  std::string transport_;
  int nodes_ = 0;
};

MeasurementFile read_log(const std::filesystem::path& file, const LogReading& reading, const CommandLine& line) {
  if (file.extension() == ".jsonl") return read_measurements(file);
  auto imported = reading.read(file);
  for (const auto& note : imported.notes) narrate(line, fmt::format("{}: {}", file.filename().string(), note));
  return std::move(imported.measurements);
}

std::string place_of(const std::filesystem::path& file, int line) {
  return fmt::format("{}:{}", file.filename().string(), line);
}

/// Why a step cannot stand beside the scenario's; "" when it can.
std::string why_left_out(const StepRecord& step, const Scenario& scenario) {
  constexpr double same_batch = 1e-9;
  if (step.model != scenario.model) return fmt::format("is of {}, the scenario of {}", step.model, scenario.model);
  if (std::abs(step.batch_per_gpu / scenario.batch_per_gpu - 1) > same_batch)
    return fmt::format("has {:g} samples a GPU, the scenario {:g}", step.batch_per_gpu, scenario.batch_per_gpu);
  if (step.precision != scenario.precision)
    return fmt::format("is in {}, the scenario in {}", to_text(step.precision), to_text(scenario.precision));
  if (step.head.suspect) return "is marked suspect";
  return "";
}

/// Those of the file's records that the scenario is about; what is left out is narrated.
void add_records(const MeasurementFile& file, const std::filesystem::path& name, const Scenario& scenario,
                 const CommandLine& line, std::vector<Observation>& all) {
  for (const auto& record : file.records) {
    const auto where = place_of(name, head_of(record).line);
    if (const auto* step = std::get_if<StepRecord>(&record)) {
      const auto why = why_left_out(*step, scenario);
      if (why.empty()) all.push_back({Observed::iteration, step->gpus, 0, step->iteration_s, where});
      if (!why.empty()) narrate(line, fmt::format("{} {}: left out", where, why));
    }
    const auto* sum = std::get_if<CollectiveRecord>(&record);
    if (sum != nullptr && sum->operation == "all_reduce" && sum->size_bytes > 0)
      all.push_back({Observed::all_reduce, sum->ranks, sum->size_bytes, sum->time_s, where});
  }
}

/// "64=412 ms".
Observation step_from(const std::string& text) {
  const auto equals = text.find('=');
  int gpus = 0;
  const auto* const end = text.data() + std::min(equals, text.size());
  const auto read = std::from_chars(text.data(), end, gpus);
  if (equals == std::string::npos || read.ec != std::errc() || read.ptr != end || gpus < 1)
    throw UserError("--step", "", fmt::format("{} found; give GPUS=TIME, like 64=\"412 ms\"", in_quotes(text)));
  try {
    return {Observed::iteration, gpus, 0, parse_quantity(text.substr(equals + 1), Dimension::time), "--step " + text};
  } catch (const UserError& error) {
    throw UserError("--step", "", error.mistakes().front().what);
  }
}

std::vector<Observation> observations_of(const DiagnoseCommand& command, const Scenario& scenario, const Curve& curve,
                                         const DataFolder& data, const CommandLine& line) {
  std::vector<Observation> all;
  const LogReading reading(command, scenario, curve, data);
  for (const auto& file : command.logs) add_records(read_log(file, reading, line), file, scenario, line, all);
  for (const auto& step : command.steps) all.push_back(step_from(step));
  return all;
}

} // namespace

int run_diagnose(const DiagnoseCommand& command, const CommandLine& line) {
  auto scenario = read_known_scenario(command.scenario, command.changes, DataFolder{line.data_folder});
  keep_strategies(scenario, command.strategies);
  const DataFolder data = data_for(line, scenario);
  const KnownFiles files(scenario, data);
  auto curve = make_curve(scenario, scenario.strategies.front(), files.model(), files.knowledge());
  curve.threads = line.threads;
  const auto observations = observations_of(command, scenario, curve, data, line);
  auto diagnosis = diagnose(curve, observations, {command.level, scenario.seed});
  diagnosis.warnings = files.warnings();
  diagnosis.warnings.insert(diagnosis.warnings.begin(), scenario.name_notes.begin(), scenario.name_notes.end());
  emit(line, line.json ? to_json_text(diagnosis) : to_terminal_text(diagnosis));
  return diagnosis.is_normal ? 0 : not_normal;
}

} // namespace ddlsim
