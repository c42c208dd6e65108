#include "sim/formats/check.hpp"

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/kernel_table_checks.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>

namespace ddlsim {

namespace fs = std::filesystem;

namespace {

using Check = std::function<std::string(const fs::path&, const DataFolder&, const EditDocument&)>;

/// Reads a document and looks its names up, and reports the mistakes of both together. `summary` makes the one-line
/// description of the file.
template <class Read, class Look, class Summary>
std::string check_document(const fs::path& file, const char* format, const Read& read, const Look& look,
                           const Summary& summary, int version = 1,
                           const std::function<void(nlohmann::json&)>& edit = {}) {
  std::string text;
  read_document(
      file, format, version,
      [&](const JsonNode& root) {
        const auto content = read(root);
        look(content, root);
        text = summary(content);
      },
      edit);
  return text;
}

std::string summary_of(const Model& model) {
  std::size_t tensors = 0;
  for (const auto& layer : model.layers) tensors += layer.tensors.size();
  return fmt::format("model {}: {} layers, {} tensors, {} parameters", model.name, model.layers.size(), tensors,
                     model.parameters);
}

std::string with_notes(const std::string& text, const std::vector<std::string>& notes) {
  return notes.empty() ? text : text + "; note: " + join_names(notes, "; ");
}

std::string summary_of(const Cluster& cluster) {
  std::vector<std::string> transports;
  transports.reserve(cluster.transports.size());
  for (const auto& transport : cluster.transports) transports.push_back(transport.name);
  const auto text = fmt::format("cluster {}: {} nodes of {}, {}, transports {}", cluster.name, cluster.available_nodes,
                                devices_text(cluster), to_text(cluster.fabric.kind),
                                transports.empty() ? "none" : join_names(transports));
  return with_notes(text, cluster.notes);
}

std::string summary_of(const Calibration& calibration) {
  const auto learnt = std::count_if(calibration.parameters.begin(), calibration.parameters.end(),
                                    [](const CalibratedParameter& one) { return one.identified; });
  return fmt::format("calibration of {}: {} of {} parameters learnt from {} points of {} series", calibration.cluster,
                     learnt, calibration.parameters.size(), calibration.quality.points, calibration.series.size());
}

std::string summary_of(const Scenario& scenario) {
  return fmt::format("scenario {}: {} on {}, {} GPU count{}, {} strateg{}", scenario.name, scenario.model,
                     scenario.cluster, scenario.gpus.size(), scenario.gpus.size() == 1 ? "" : "s",
                     scenario.strategies.size(), scenario.strategies.size() == 1 ? "y" : "ies");
}

std::string summary_of(const MeasurementFile& file) {
  std::map<std::string, int> counts;
  for (const auto& record : file.records) ++counts[to_text(kind_of(record))];
  std::vector<std::string> kinds;
  kinds.reserve(counts.size());
  for (const auto& [kind, count] : counts) kinds.push_back(fmt::format("{} {}", count, kind));
  const auto text = fmt::format("measurements of {}: {} records{}", file.context.cluster, file.records.size(),
                                kinds.empty() ? "" : fmt::format(" ({})", join_names(kinds)));
  return with_notes(text, file.notes);
}

template <class Item> std::string summary_of(const char* what, const std::vector<Item>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(item.name);
  return fmt::format("{}: {}{}{}", what, items.size(), names.empty() ? "" : ": ", join_names(names));
}

std::string check_scenario(const fs::path& file, const DataFolder& data, const EditDocument& edit) {
  return check_document(
      file, "ddlsim-scenario",
      [&](const JsonNode& root) {
        auto scenario = scenario_from(root);
        find_own_files(scenario, root, file);
        return scenario;
      },
      [&](const Scenario& scenario, const JsonNode& root) { look_up_names(scenario, root, data); },
      [](const Scenario& scenario) { return summary_of(scenario); }, 1,
      [&](nlohmann::json& document) {
        if (edit) edit(document);
        spell_as_known(document, data);
      });
}

std::string check_plan_request(const fs::path& file, const DataFolder& data, const EditDocument& edit) {
  auto known = data;
  return check_document(
      file, "ddlsim-plan-request", plan_request_from,
      [&](const PlanRequest& request, const JsonNode& root) { look_up_names(request, root, known); },
      [](const PlanRequest& request) {
        const auto& work = request.workload;
        const auto length = !work.convergence.empty() ? work.convergence
                            : work.tokens > 0         ? fmt::format("{:g} tokens", work.tokens)
                                                      : fmt::format("{:g} epochs", work.epochs);
        return fmt::format("plan request {}: {}, {}, {} candidates", request.name, work.model, length,
                           request.candidates.size());
      },
      1,
      [&](nlohmann::json& document) {
        if (edit) edit(document);
        spell_as_known(document, data);
        known = take_own_files(document, file, data);
      });
}

std::string check_cluster(const fs::path& file, const DataFolder& data, const EditDocument& /*edit*/) {
  return check_document(
      file, "ddlsim-cluster", cluster_from,
      [&](const Cluster& cluster, const JsonNode& root) { look_up_names(cluster, root, file, data); },
      [](const Cluster& cluster) { return summary_of(cluster); });
}

std::string check_calibration(const fs::path& file, const DataFolder& data, const EditDocument& /*edit*/) {
  std::string text;
  read_calibration_document(file, [&](const JsonNode& root) {
    const auto calibration = calibration_from(root);
    look_up_names(calibration, root, file, data);
    text = summary_of(calibration);
  });
  return text;
}

std::string check_model(const fs::path& file, const DataFolder& /*data*/, const EditDocument& /*edit*/) {
  return check_document(
      file, "ddlsim-model", model_from,
      [&](const Model& model, const JsonNode& root) { compare_with_file_name(model.name, root, file); },
      [](const Model& model) { return summary_of(model); });
}

std::string check_convergence(const fs::path& file, const DataFolder& data, const EditDocument& /*edit*/) {
  return check_document(
      file, "ddlsim-convergence", convergence_from,
      [&](const Convergence& convergence, const JsonNode& root) {
        compare_with_file_name(convergence.name, root, file);
        look_up_names(convergence, root, data);
      },
      [](const Convergence& convergence) {
        return fmt::format("convergence {}: {}, {} batches", convergence.name, join_names(convergence.models),
                           convergence.points.size());
      });
}

std::string check_inputs(const fs::path& file, const DataFolder& data, const EditDocument& /*edit*/) {
  return check_document(
      file, "ddlsim-inputs", inputs_from,
      [&](const InputCatalogue& inputs, const JsonNode& root) { look_up_names(inputs, root, data); },
      [](const InputCatalogue& inputs) {
        return fmt::format("inputs: {} data sets, {} storages, {} formats, {} loaders", inputs.datasets.size(),
                           inputs.storages.size(), inputs.formats.size(), inputs.loaders.size());
      },
      inputs_version);
}

std::string check_priors(const fs::path& file, const DataFolder& data, const EditDocument& /*edit*/) {
  return check_document(
      file, "ddlsim-priors", prior_book_from,
      [&](const PriorBook& book, const JsonNode& root) { look_up_names(book, root, data); },
      [](const PriorBook& book) {
        return fmt::format("priors: {} expected, {} sites", book.expected.size(), book.sites.size());
      },
      priors_version);
}

constexpr auto no_names = [](const auto& /*content*/, const JsonNode& /*root*/) {};

std::string check_gpus(const fs::path& file, const DataFolder& /*data*/, const EditDocument& /*edit*/) {
  return check_document(file, "ddlsim-gpus", gpus_from, no_names,
                        [](const std::vector<Gpu>& gpus) { return summary_of("GPUs", gpus); });
}

/// Rows that cannot be true of the GPU are notes.
std::string check_kernels(const fs::path& file, const DataFolder& data, const EditDocument& /*edit*/) {
  std::vector<std::string> notes;
  return check_document(
      file, "ddlsim-kernels", gpu_kernels_from,
      [&](const GpuKernelTables& tables, const JsonNode& root) {
        look_up_names(tables, root, data);
        if (root.mistakes_so_far() == 0) notes = plausible_kernels(tables, find_gpu(load_gpus(data), tables.gpu)).notes;
      },
      [&](const GpuKernelTables& tables) {
        std::size_t rows = 0;
        for (const auto& table : tables.products) rows += table.rows.size();
        for (const auto& table : tables.attention) rows += table.rows.size();
        const auto text = fmt::format("kernels of {}: {} tables of products, {} of attention, {} rows", tables.gpu,
                                      tables.products.size(), tables.attention.size(), rows);
        return with_notes(text, notes);
      });
}

std::string check_kernel_rates(const fs::path& file, const DataFolder& data, const EditDocument& /*edit*/) {
  return check_document(
      file, "ddlsim-kernel-rates", kernel_rates_from,
      [&](const KernelRateBook& book, const JsonNode& root) { look_up_names(book, root, data); },
      [](const KernelRateBook& book) { return fmt::format("kernel rates: {} GPUs", book.gpus.size()); });
}

std::string check_presets(const fs::path& file, const DataFolder& /*data*/, const EditDocument& /*edit*/) {
  return check_document(
      file, "ddlsim-presets", presets_from, no_names,
      [](const std::vector<Preset>& presets) { return summary_of("presets", presets); }, presets_version);
}

std::string check_measurements(const fs::path& file, const DataFolder& data) {
  NamesOfData names(data);
  const auto folder = fs::absolute(file).parent_path().parent_path(); // the folder may be a user's own cluster
  std::error_code ignored;
  if (fs::exists(folder / "cluster.json", ignored)) names.clusters.push_back(folder.filename().string());
  const LineChecks checks{
      [&](const Context& context, const JsonNode& line) { look_up_names(context, line, names); },
      [&](const Record& record, const JsonNode& line) { look_up_names(record, line, names); },
  };
  return summary_of(read_measurements(file, checks));
}

const std::map<std::string, Check>& checks_by_format() {
  static const std::map<std::string, Check> checks{{"ddlsim-calibration", check_calibration},
                                                   {"ddlsim-model", check_model},
                                                   {"ddlsim-gpus", check_gpus},
                                                   {"ddlsim-cluster", check_cluster},
                                                   {"ddlsim-convergence", check_convergence},
                                                   {"ddlsim-inputs", check_inputs},
                                                   {"ddlsim-kernel-rates", check_kernel_rates},
                                                   {"ddlsim-kernels", check_kernels},
                                                   {"ddlsim-scenario", check_scenario},
                                                   {"ddlsim-plan-request", check_plan_request},
                                                   {"ddlsim-presets", check_presets},
                                                   {"ddlsim-priors", check_priors}};
  return checks;
}

/// Whether a file is JSON Lines: by its name, or because its first line is a whole object with a "record". The first
/// line of a document is seldom a whole object.
bool is_json_lines(const fs::path& file) {
  LineReader lines(file);
  if (file.extension() == ".jsonl") return true;
  std::string line;
  if (lines.next(line) != LineReader::Result::line) return false;
  try {
    const auto first = parse_json_line(line, "");
    return first.is_object() && first.contains("record");
  } catch (const UserError&) {
    return false;
  }
}

std::string format_of(const fs::path& file) {
  const auto document = parse_json(read_text_file(file), file.string());
  Mistakes mistakes(file.string());
  const JsonNode root(document, "", mistakes);
  std::vector<std::string> formats;
  for (const auto& [format, check] : checks_by_format()) formats.push_back(format);
  std::string format;
  if (root.is_object()) format = root.one_of("format", formats);
  mistakes.throw_if_any();
  return format;
}

} // namespace

std::string check_file(const fs::path& file, const DataFolder& data, const EditDocument& edit) {
  if (is_json_lines(file)) return check_measurements(file, data);
  return checks_by_format().at(format_of(file))(file, data, edit);
}

} // namespace ddlsim
