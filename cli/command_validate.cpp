#include "cli/command.hpp"
#include "cli/task_runner.hpp"
#include "import/importers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/base/threads.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/network/nic_rate.hpp"
#include "validate/ablation/ablation.hpp"
#include "validate/accuracy_thresholds.hpp"
#include "validate/collectives/size_tables.hpp"
#include "validate/methods/baselines.hpp"
#include "validate/methods/simulator.hpp"
#include "validate/ratios/ratios.hpp"
#include "validate/report.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ddlsim {
namespace {

constexpr int threshold_exceeded = 1;
constexpr const char* method_of_thresholds = "ddlsim";

/// All records that take part. Those from `first_own` on are the user's.
struct Sources {
  std::vector<MeasurementFile> files;
  RecordIndex first_own = 0;
};

MeasurementFile read_own(const std::filesystem::path& file, const ImportContext& context, const CommandLine& line) {
  if (!is_csv(file)) return read_measurements(file);
  auto imported = import_csv(LogSource(file), context);
  for (const auto& note : imported.notes) narrate(line, fmt::format("{}: {}", file.filename().string(), note));
  return std::move(imported.measurements);
}

Sources read_sources(const DataFolder& data, const ValidateCommand& command, const CommandLine& line) {
  Sources sources;
  for (const auto& cluster : list_clusters(data)) {
    for (auto& file : read_cluster_measurements(data.platforms(), cluster)) {
      sources.first_own += file.records.size();
      sources.files.push_back(std::move(file));
    }
  }
  const auto context = with_shipped_names(command.context, data);
  for (const auto& file : command.measurements) sources.files.push_back(read_own(file, context, line));
  return sources;
}

/// Returns facts of the shipped files besides records: bytes of models, line rates of clusters.
TextbookFacts textbook_facts(const DataFolder& data) {
  TextbookFacts facts;
  for (const auto& name : list_models(data)) facts.model_bytes[name] = load_model(data, name).size_bytes();
  for (const auto& name : list_clusters(data)) {
    const auto cluster = load_cluster(data, name);
    for (const auto& transport : cluster.transports) {
      if (transport.nic.empty()) continue;
      facts.node_rate_Bps[{name, transport.name}] = line_Bps(find_nic(cluster, transport.nic));
    }
  }
  return facts;
}

std::vector<std::unique_ptr<Method>> all_methods(const DataFolder& data, int threads) {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_simulator(data, threads));
  methods.push_back(make_uncalibrated(data, threads));
  for (auto& baseline : make_baselines(textbook_facts(data))) methods.push_back(std::move(baseline));
  return methods;
}

/// The methods that the command names.
std::vector<std::unique_ptr<Method>> methods_for(const ValidateCommand& command, const DataFolder& data, int threads) {
  if (!command.without.empty()) return simulators_without(read_reference_data(data), command.without, threads);
  if (command.placebos > 0) return simulators_with_placebos(read_reference_data(data), command.placebos, threads);
  return all_methods(data, threads);
}

std::string report_for(const ValidateCommand& command, const ValidationResult& result) {
  if (!command.without.empty()) return paired_report_text(result);
  if (command.placebos > 0) return placebo_report_text(result);
  return command.details ? validation_text(result) : validation_screen_text(result);
}

/// Returns the splits of new sites if simulators are compared, unless the command names splits.
std::vector<std::string> splits_for(const ValidateCommand& command) {
  const bool compares = !command.without.empty() || command.placebos > 0;
  return compares && command.splits.empty() ? std::vector<std::string>{"new-T1", "new-T2", "new-T3"} : command.splits;
}

void check_sites(const std::vector<std::string>& sites, const std::map<std::string, std::string>& site_of) {
  std::set<std::string> known;
  for (const auto& [cluster, site] : site_of) known.insert(site);
  const std::vector<std::string> names(known.begin(), known.end());
  std::vector<Mistake> mistakes;
  for (const auto& site : sites)
    if (known.count(site) == 0) mistakes.push_back({"--sites", "", unknown_name_text("site", site, names, names)});
  if (!mistakes.empty()) throw UserError(std::move(mistakes));
}

void check_cluster(const Sources& sources, const std::string& cluster) {
  std::set<std::string> known;
  for (const auto& file : sources.files) known.insert(file.context.cluster);
  if (cluster.empty() || known.count(cluster) != 0) return;
  const std::vector<std::string> names(known.begin(), known.end());
  throw UserError("--cluster", "", unknown_name_text("cluster with measurements", cluster, names, names));
}

bool is_own(const Series& series, RecordIndex first_own) {
  const auto own = [&](RecordIndex record) { return record >= first_own; };
  return std::any_of(series.one_gpu_records.begin(), series.one_gpu_records.end(), own) ||
         std::any_of(series.points.begin(), series.points.end(), [&](const SeriesPoint& point) {
           return std::any_of(point.records.begin(), point.records.end(), own);
         });
}

/// Returns why the simulator answers none of the series' points; "" if it answers one.
std::string why_no_answer(const ValidationResult& result, const std::string& series) {
  std::string why;
  for (const auto& point : result.points) {
    if (point.series != series) continue;
    if (point.forecasts.count(method_of_thresholds) != 0) return "";
    if (const auto refusal = point.refusals.find(method_of_thresholds); refusal != point.refusals.end())
      why = refusal->second;
  }
  return why;
}

/// Returns which measurements a series lacks before any of it can be predicted.
std::string what_to_add(const SeriesSummary& series) {
  const int inside = series.scales - series.multi_node_scales;
  if (series.multi_node_scales == 0)
    return fmt::format("{} scale{}, all inside one node, and a test predicts from one node to more; give a run on two "
                       "nodes or more",
                       series.scales, series.scales == 1 ? "" : "s");
  if (inside == 0)
    return fmt::format("{} scale{}, none inside one node; give a run on one node", series.scales,
                       series.scales == 1 ? "" : "s");
  return "the splits asked for need more scales of several nodes than it has; give a larger one, or take --split T1";
}

/// Explains why a series of the user, or the simulator's answer to it, is missing.
void narrate_own(const Sources& sources, const ValidationResult& result, const DataFolder& data,
                 const CommandLine& line) {
  std::set<std::string> own;
  for (const auto& series : group_series(sources.files))
    if (is_own(series, sources.first_own)) own.insert(series.id);
  const auto known = list_clusters(data);
  std::set<std::string> unknown;
  for (const auto& one : result.series) {
    if (own.count(one.id) == 0) continue;
    if (std::count(known.begin(), known.end(), one.cluster) == 0) unknown.insert(one.cluster);
    if (one.splits.empty()) {
      narrate(line, fmt::format("{}: nothing to predict: {}", one.id, what_to_add(one)));
    } else if (const auto why = why_no_answer(result, one.id); !why.empty()) {
      narrate(line, fmt::format("{}: {} does not answer: {}", one.id, method_of_thresholds, why));
    }
  }
  for (const auto& cluster : unknown) {
    narrate(line, fmt::format("cluster {0} has no platforms/{0}/cluster.json, so that only the baselines answer for it",
                              cluster));
  }
}

/// Scores tables of collectives. If the command names a cluster, only its tables are scored.
void score_collectives(const Sources& sources, const DataFolder& data, const CommandLine& line,
                       const std::string& cluster) {
  std::vector<MeasurementFile> files;
  for (const auto& file : sources.files)
    if (cluster.empty() || file.context.cluster == cluster) files.push_back(file);
  const auto points = predict_collectives(read_reference_data(data), files);
  emit(line, line.json ? collectives_json(points) : collectives_report_text(points));
}

/// Scores the shipped ratios and the user's own. If the command names a cluster, only its ratios are scored.
void score_ratios(const Sources& sources, const DataFolder& data, const CommandLine& line, const std::string& cluster) {
  auto ratios = read_ratios(data);
  ratios.insert(ratios.end(), sources.files.begin(), sources.files.end());
  if (!cluster.empty())
    ratios.erase(std::remove_if(ratios.begin(), ratios.end(),
                                [&](const MeasurementFile& file) { return file.context.cluster != cluster; }),
                 ratios.end());
  const auto calibration_of = [&](const std::string& name) { return load_calibration(data, name); };
  const auto found = predict_ratios(read_reference_data(data), calibration_of, sources.files, ratios);
  emit(line, line.json ? ratios_json(found) : ratios_report_text(found));
}

/// Returns the thresholds that the command names; empty without a file.
AccuracyThresholds thresholds_for(const ValidateCommand& command) {
  if (!command.thresholds.empty()) return read_accuracy_thresholds(command.thresholds);
  if (!command.update_thresholds.empty() && std::filesystem::exists(command.update_thresholds))
    return read_accuracy_thresholds(command.update_thresholds);
  return {method_of_thresholds, {}, {}};
}

/// Prints the comparison, and returns the exit code, which is 0 if no figure rose.
int compare_with_thresholds(const ValidateCommand& command, const AccuracyThresholds& thresholds,
                            const ValidationResult& result, const CommandLine& line) {
  const auto reached = accuracy_of(result, method_of_thresholds);
  if (!command.update_thresholds.empty()) {
    write_file(command.update_thresholds, accuracy_thresholds_json(with_figures_of(thresholds, reached)));
    narrate(line, fmt::format("wrote {}", command.update_thresholds.string()));
  }
  if (command.thresholds.empty()) return 0;
  const auto rose = figures_that_rose(thresholds, reached, command.splits);
  for (const auto& one : rose) fmt::print(stderr, "{}: {}\n", command.thresholds.string(), one);
  if (rose.empty()) narrate(line, fmt::format("{}: no figure rose", command.thresholds.string()));
  return rose.empty() ? 0 : threshold_exceeded;
}

/// Returns whether a series is scored: by the cluster, the user's own series, the named sites or those of the
/// thresholds.
std::function<bool(const Series&)> wanted_for(const ValidateCommand& command, const AccuracyThresholds& thresholds,
                                              const std::map<std::string, std::string>& site_of,
                                              RecordIndex first_own) {
  const auto cluster = command.context.cluster;
  const bool own_only = command.own_only;
  const auto sites = command.sites.empty() ? thresholds.sites : command.sites;
  if (!own_only && cluster.empty() && sites.empty()) return {};
  return [=](const Series& series) {
    const auto site = site_of.find(series.cluster);
    const bool of_sites = sites.empty() || (site != site_of.end() && is_in(sites, site->second));
    return of_sites && (cluster.empty() || series.cluster == cluster) && (!own_only || is_own(series, first_own));
  };
}

} // namespace

int run_validate(const ValidateCommand& command, const CommandLine& line) {
  if (command.blind) return run_blind(command, line);
  const DataFolder data = fitted_data(line);
  const auto sources = read_sources(data, command, line);
  const auto& cluster = command.context.cluster;
  check_cluster(sources, cluster);
  if (command.collectives) {
    score_collectives(sources, data, line, cluster);
    return 0;
  }
  if (command.ratios) {
    score_ratios(sources, data, line, cluster);
    return 0;
  }
  const auto thresholds = thresholds_for(command); // this reports mistakes of the file before minutes of work
  ValidationOptions options;
  options.splits = splits_for(command);
  for (const auto& name : list_clusters(data)) options.site_of[name] = load_cluster(data, name).site;
  check_sites(command.sites, options.site_of);
  options.wanted = wanted_for(command, thresholds, options.site_of, sources.first_own);
  options.run_tasks = task_runner(line, "parts");
  const std::size_t clusters = cluster.empty() ? options.site_of.size() : 1; // there are at least as many parts
  const auto methods = methods_for(command, data, threads_of_each(line.threads, clusters));
  const auto result = validate_measurements(sources.files, methods, options);
  narrate_own(sources, result, data, line);
  write_picture(line, command.picture, [&] { return validation_picture(result); });
  emit(line, line.json ? validation_json(result) : report_for(command, result));
  return compare_with_thresholds(command, thresholds, result, line);
}

} // namespace ddlsim
