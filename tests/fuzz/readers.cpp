// Every reader of a format, every importer, units and JSON, as rows of one table.
#include "import/csv_table.hpp"
#include "import/importers.hpp"
#include "own/hf_config.hpp"
#include "own/machine.hpp"
#include "own/new_files.hpp"
#include "plan/considered.hpp"
#include "sim/base/foreign_text.hpp"
#include "sim/base/json.hpp"
#include "sim/base/task_journal.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/predict/page/page_curves.hpp"
#include "sim/predict/page/prediction_html.hpp"
#include "tests/formats/sample_files.hpp"
#include "tests/fuzz/target.hpp"
#include "validate/answers.hpp"
#include "validate/blind/blind_log.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace ddlsim_fuzz {
namespace {

namespace fs = std::filesystem;
using namespace ddlsim;
using ddlsim_test::TemporaryFolder;

/// A data folder of small files, one of each format, and a place for the text that is read.
const TemporaryFolder& folder() {
  struct Samples : TemporaryFolder {
    Samples() { write_sample_data(*this); }
  };
  static const Samples one;
  return one;
}

const DataFolder& sample_data() {
  static const DataFolder data{folder().path()};
  return data;
}

std::string seed_file(const std::string& name) {
  return read_text_file(fs::path(DDLSIM_SOURCE_DIR) / "tests/fuzz/seeds" / name);
}

std::string shipped_file(const std::string& name) {
  return read_text_file(fs::path(DDLSIM_SOURCE_DIR) / name);
}

fs::path put(const std::string& name, const std::string& text) {
  return folder().write("read/" + name, text);
}

// JSON and units.

bool take_json(const std::string& text) {
  nlohmann::json document;
  if (!accepted([&] { document = parse_json(text, "a.json"); })) return false;
  describe(document);
  demand(parse_json(json_text(document), "again") == document, "the document is another when it is read again");
  return true;
}

bool take_quantity(const std::string& text) {
  bool any = false;
  for (const auto dimension : {Dimension::time, Dimension::size, Dimension::bandwidth, Dimension::compute_rate,
                               Dimension::work, Dimension::rate, Dimension::power, Dimension::price}) {
    double value = 0;
    if (!accepted([&] { value = parse_quantity(text, dimension); })) continue;
    any = true;
    demand(std::isfinite(value) && value >= 0, "a quantity that is negative or not finite");
    demand(!print_quantity(value, dimension).empty(), "a quantity without words");
  }
  return any;
}

/// `--set POINTER=VALUE` of a scenario.
bool take_change(const std::string& text) {
  const auto equals = std::min(text.find('='), text.size());
  const JsonChange change{text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))};
  return accepted([&] { read_scenario(folder().path() / "scenarios/tiny-iris.json", {change}); });
}

Target json_target() {
  return {
      "json", {R"({"a": [1, 2.5e-3, "x", null, true], "b": {}})", ddlsim_test::sample_cluster().dump(1)}, take_json};
}

Target units_target() {
  return {"units",
          {"12.5 GB/s", "100 Gbps", "1.5 us", "16 GiB", "15.7 TFLOP/s", "300 W", "5 USD/h", "9 samples/s"},
          take_quantity};
}

Target change_target() {
  return {"set", {"/batch_per_gpu=32", "/strategies/0/name=tree", "/gpus=[1,2]"}, take_change};
}

// ddlsim's own formats, through `check`: NAME is the file's name, after which some formats are called.

Target checked(const std::string& name, const std::string& file, std::vector<std::string> seeds) {
  return {name, std::move(seeds), [file](const std::string& text) {
            std::string summary;
            if (!accepted([&] { summary = check_file(put(file, text), sample_data()); })) return false;
            demand(!summary.empty(), "a file without a summary");
            return true;
          }};
}

/// What `predict` reads of it; `check` would miss the cluster of a shipped calibration among the sample files.
Target calibration_target() {
  return {"calibration", {shipped_file("platforms/m40-2x4-10g/calibration.json")}, [](const std::string& text) {
            return accepted([&] { read_calibration(put("calibration.json", text)); });
          }};
}

std::vector<Target> own_formats() {
  using namespace ddlsim_test;
  return {checked("scenario", "question.json",
                  {sample_scenario().dump(1), sample_two_stacks().dump(1), sample_best_servers().dump(1),
                   sample_best_layout().dump(1), sample_hybrid_shards().dump(1), sample_named_input().dump(1)}),
          checked("plan-request", "plan.json", {sample_plan_request().dump(1)}),
          checked("cluster", "iris/cluster.json", {sample_cluster().dump(1)}),
          checked("model", "tiny.json", {sample_model().dump(1), sample_repeated_model().dump(1)}),
          checked("gpus", "gpus.json", {sample_gpus().dump(1)}),
          checked("presets", "presets.json", {sample_presets().dump(1)}),
          checked("priors", "priors.json", {sample_priors().dump(1)}),
          checked("inputs", "inputs.json", {sample_inputs().dump(1)}),
          checked("convergence", "tiny-set.json", {sample_convergence().dump(1)}),
          checked("records", "all.jsonl",
                  {sample_measurements(), sample_context().dump() + "\n" + sample_server_in_training().dump() + "\n",
                   sample_measurements() + sample_measurements(), // a context for each half
                   sample_context().dump() + "\n" + sample_record("layer").dump() + "\n" +
                       sample_record("layer").dump() + "\n"}),
          calibration_target()};
}

// Importers: what they give can be written and is read again.

ImportContext stated_of(LogFigures figures, bool all) {
  ImportContext stated;
  stated.cluster = "iris";
  stated.cluster_gpus_per_node = 4;
  if (!all || figures == LogFigures::rates) return stated;
  if (figures == LogFigures::collectives)
    stated.given = {{"ranks", "2"}, {"nodes", "2"}};
  else
    stated.given = {{"model", "resnet50_v1.5"}, {"gpus", "8"}, {"batch_per_gpu", "64"}};
  return stated;
}

/// A record without a GPU is of the file's once it is read: from then on it is written the same way.
void read_back(const Imported& imported) {
  MeasurementFile again;
  MeasurementFile once_more;
  demand(accepted([&] { again = read_measurements(put("imported.jsonl", to_json_lines(imported.measurements))); }),
         "records that are not read again as they were written");
  demand(again.records.size() == imported.measurements.records.size(), "records that were lost in writing");
  const auto lines = to_json_lines(again);
  demand(accepted([&] { once_more = read_measurements(put("imported.jsonl", lines)); }) &&
             to_json_lines(once_more) == lines,
         "records that are others when they are read again");
}

bool take_log(const Importer& importer, const std::string& text, const std::map<std::string, std::string>& columns) {
  const auto file = put("run.log", text);
  guess_kind(file);
  bool any = false;
  for (const bool all : {false, true}) { // the command line states nothing more than the cluster, or all it can
    auto stated = stated_of(importer.figures, all);
    stated.columns = columns;
    Imported imported;
    if (!accepted([&] { imported = importer.import(file, stated); })) continue;
    any = true;
    read_back(imported);
  }
  return any;
}

/// guess_kind() refuses a text that is no text; the importer says so itself.
bool take_any_log(const Importer& importer, const std::string& text,
                  const std::map<std::string, std::string>& columns = {}) {
  bool any = false;
  return accepted([&] { any = take_log(importer, text, columns); }) && any;
}

Target imported(const std::string& kind, const std::vector<std::string>& files) {
  std::vector<std::string> seeds;
  seeds.reserve(files.size());
  for (const auto& file : files) seeds.push_back(seed_file(file));
  return {kind, seeds, [kind](const std::string& text) { return take_any_log(importer_of(kind), text); }};
}

Target mapped_table() {
  const std::map<std::string, std::string> columns{
      {"model", "net"}, {"batch_per_gpu", "bs"}, {"gpus", "cards"}, {"iteration_ms", "ms"}};
  return {"csv-map", {seed_file("mapped.csv")}, [columns](const std::string& text) {
            return take_any_log(importer_of("csv"), text, columns);
          }};
}

/// A trace whose layers are asked for, too.
bool take_trace_layers(const std::string& text) {
  auto stated = stated_of(LogFigures::steps, true);
  stated.given = {{"batch_per_gpu", "16"}, {"gpus", "1"}, {"strategy", "none"}};
  stated.table = "tiny";
  Imported imported;
  if (!accepted([&] { imported = importer_of("kineto").import(put("trace.json", text), stated); })) return false;
  demand(imported.model.has_value(), "no layer table, and no message why");
  demand(accepted([&] { check_file(put("tiny.json", model_json(*imported.model)), sample_data()); }),
         "a layer table that `check` refuses");
  read_back(imported);
  return true;
}

bool take_hf_config(const std::string& text) {
  bool any = false;
  for (const long sequence : {0L, 128L}) {
    HfOptions options;
    options.name = "tiny";
    options.sequence = sequence;
    ConfiguredModel model;
    if (!accepted([&] { model = import_hf_config(put("config.json", text), options); })) continue;
    any = true;
    demand(accepted([&] { check_file(put("tiny.json", model_json(model.model)), sample_data()); }),
           "a layer table that `check` refuses");
  }
  return any;
}

std::vector<Target> importer_rows() {
  return {imported("csv", {"table.csv"}),
          mapped_table(),
          imported("nccl-tests", {"nccl-tests.txt", "nccl-tests-old.txt", "nccl-tests.json"}),
          imported("mpi-benchmarks", {"osu.txt", "imb.txt"}),
          imported("steps",
                   {"steps-megatron.txt", "steps-tf.txt", "steps-others.txt", "steps-bars.txt", "steps-deepspeed.txt"}),
          imported("mllog", {"mllog.txt", "mllog-epochs.txt"}),
          imported("horovod", {"horovod.json", "horovod-cut.json"}),
          imported("kineto", {"kineto.json", "kineto-list.json"}),
          {"kineto-layers", {seed_file("kineto-lenet5.json")}, take_trace_layers},
          {"hf-config",
           {shipped_file("scenarios/examples/llama-1b-config.json"),
            nlohmann::json::parse(shipped_file("scenarios/examples/hf-configs.json")).at("mpt-125m-config.json").dump(),
            seed_file("hf-bert.json"), seed_file("hf-vit.json"), seed_file("hf-mixtral.json")},
           take_hf_config}};
}

// What `new cluster` is told, and reads from this machine.

/// Every tool says the same, and so do the files of a port.
bool take_machine(const std::string& text) {
  constexpr const char* port = "sys/class/infiniband/mlx5_0/ports/1/";
  for (const char* file : {"rate", "state", "link_layer"}) folder().write(std::string(port) + file, text);
  static const auto gpus = load_gpus(sample_data());
  const auto facts = machine_facts({text, text, text, text, text, text, text}, folder().path() / "sys", gpus);
  demand(facts.gpus >= 0 && facts.nodes >= 0 && facts.controllers >= 0, "fewer than no GPUs, nodes or controllers");
  demand(std::isfinite(facts.nvlink_GBps) && facts.nvlink_GBps >= 0, "a rate of NVLink that is none");
  for (const auto& found : facts.ports) demand(std::isfinite(found.rate_Gbps), "a rate of a port that is none");
  links_of(facts);
  networks_of(facts);
  return true;
}

/// The first line is about links inside a node, each other a network.
bool take_new_cluster(const std::string& text) {
  ClusterRequest request;
  request.name = "mine";
  request.gpu = "V100-SXM2-16GB";
  request.gpus_per_node = 4;
  request.nodes = 8;
  std::istringstream lines(text);
  std::getline(lines, request.links);
  for (std::string line; std::getline(lines, line);) request.networks.push_back(line);
  NewCluster made;
  if (!accepted([&] { made = new_cluster(request, sample_data()); })) return false;
  demand(accepted([&] { check_file(put("mine/cluster.json", made.text), sample_data()); }),
         "a new cluster that `check` refuses");
  return true;
}

// What is kept of a run that was cut off.

constexpr const char* asked = "0123456789abcdef";

/// What is read is kept again, and is the same then.
bool take_journal(const std::string& text) {
  KeptTasks kept;
  if (!accepted([&] { kept = read_task_journal(put("a.csv.unfinished", text), asked); })) return false;
  std::size_t bytes = 0;
  for (const auto& [task, result] : kept) bytes += result.size();
  demand(bytes <= text.size(), "results that are larger than their file");
  const auto again = folder().path() / "read/again.unfinished";
  TaskJournal journal(again, asked, kept);
  demand(journal.keep(7, text), "a task that is not kept");
  kept[7] = text;
  demand(read_task_journal(again, asked) == kept, "tasks that are others when they are read again");
  return true;
}

/// Each line with the checksum that belongs to it, so that what is spoilt before it is read.
std::string with_right_checksums(const std::string& text) {
  constexpr std::string_view key = ",\"chain\":\"";
  std::string chain, right;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto body = line.substr(0, line.rfind(key));
    Fnv1a sum;
    sum.take(chain + body);
    chain = sum.text();
    right += body + std::string(key) + chain + "\"}\n";
  }
  return right;
}

/// What is read fits into a table that no name breaks out of.
bool take_blind_log(const std::string& text) {
  std::vector<BlindEntry> log;
  const auto read = [&](const std::string& lines) { log = read_blind_log(put("blind.jsonl", lines)); };
  if (!accepted([&] { read(text); }) && !accepted([&] { read(with_right_checksums(text)); })) return false;
  const auto table = blind_table(log);
  demand(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')) <= log.size() + 2, "a row too many");
  demand(table == for_terminal(table), "a control character in the table");
  return true;
}

Target blind_log_target() {
  BlindScore score{"training steps", NewcomerKnows::one_gpu, 8, 1, 0.2, 0.15, -0.1, 0.75, 0.3, {{"linear", 0.4}}, "a"};
  const auto file = folder().path() / "read/seed-blind.jsonl";
  fs::create_directories(file.parent_path());
  append_to_blind_log(file, {{"2026-11-29", "abc", "a | table\x1b[31m <b>of</b>\nruns", "r.jsonl", "r1", false, score},
                             {"2026-11-29", "abc", "runs", "r.jsonl", "r2", true, score}});
  return {"blind-log", {read_text_file(file)}, take_blind_log};
}

/// What a task gave, by whichever reader takes it.
bool take_result(const std::string& bytes) {
  const bool of_part = accepted([&] { answers_from_bytes(bytes); });
  const bool of_option = accepted([&] { simulated_from_bytes(bytes); });
  return accepted([&] {
           sweep_html({"cluster"}, {{"a part", {"iris"}, read_page_part(bytes), ""}});
         }) ||
         of_part || of_option;
}

Target journal_target() {
  const auto file = folder().path() / "read/seed.unfinished";
  fs::create_directories(file.parent_path());
  const TaskJournal written(file, asked, {{0, "A0:\"tiny\",\"ring\",8\n"}, {2, std::string("R\0\n", 3)}, {5, ""}});
  return {"journal", {read_text_file(file)}, take_journal};
}

Target result_target() {
  PartAnswers part;
  part.forecasts.resize(2);
  part.forecasts[1]["ddlsim"] = {0.25, 0.2, 0.3, "", "{}"};
  part.misses.push_back({"ddlsim", 0.2, {}});
  Simulated option;
  option.iteration_s = 0.25;
  option.sample_times_s = {0.2, 0.3};
  PageScenario page;
  page.name = "tiny-iris";
  const auto cells = [](std::size_t count) { return std::vector<std::string>(count, "a cell"); };
  PagePoint point{8, "", {9, 8, 10}, {0.9, 0.8, 1}, cells(point_headers().size()), {}, 1.1, ""};
  point.parts_s.assign(part_names().size(), 0.25);
  const PagePoint impossible{4096, "too many GPUs", {}, {}, cells(2), {}, 0, ""};
  page.curves.push_back(
      {"ring", cells(fact_headers().size()), cells(comparison_headers().size()), {point, impossible}});
  return {"kept-result", {answers_to_bytes({part}), simulated_to_bytes(option), page_part(page)}, take_result};
}

std::vector<Target> all_readers() {
  std::vector<Target> rows{json_target(), units_target(), change_target()};
  for (auto& row : own_formats()) rows.push_back(std::move(row));
  for (auto& row : importer_rows()) rows.push_back(std::move(row));
  rows.push_back({"machine", {seed_file("machine.txt")}, take_machine});
  rows.push_back({"new-cluster", {seed_file("new-cluster.txt")}, take_new_cluster});
  rows.push_back(journal_target());
  rows.push_back(blind_log_target());
  rows.push_back(result_target());
  return rows;
}

} // namespace

const std::vector<Target>& reader_targets() {
  static const auto rows = all_readers();
  return rows;
}

} // namespace ddlsim_fuzz
