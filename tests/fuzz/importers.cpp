// What people bring: every importer, and a config of Hugging Face, as rows of one table.
#include "import/importers.hpp"

#include "import/csv_table.hpp"
#include "own/hf_config.hpp"
#include "own/hf_families.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/record.hpp"
#include "tests/fuzz/sample_folder.hpp"
#include "tests/fuzz/target.hpp"

namespace ddlsim_fuzz {
namespace {

using namespace ddlsim;

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
  guess_kind(LogSource(file));
  bool any = false;
  for (const bool all : {false, true}) { // the command line states nothing more than the cluster, or all it can
    auto stated = stated_of(importer.figures, all);
    if (all && importer.kind == "kernels") stated.given["iteration_ms"] = "125";
    stated.columns = columns;
    Imported imported;
    if (!accepted([&] { imported = importer.import(LogSource(file), stated); })) continue;
    any = true;
    if (!imported.measurements.records.empty()) read_back(imported); // sums of kernels are told, and no more
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
  if (!accepted([&] { imported = importer_of("kineto").import(LogSource(put("trace.json", text)), stated); }))
    return false;
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

/// A config of each family: keys that decide sizes, under all names that families have for them.
std::vector<std::string> family_configs() {
  std::vector<std::string> configs;
  for (const auto& family : hf_family_rows()) {
    nlohmann::json config{{"model_type", family.type},
                          {"vocab_size", 64},
                          {"num_experts_per_tok", 2},
                          {"moe_intermediate_size", 8},
                          {"shared_expert_intermediate_size", 8},
                          {"kv_lora_rank", 8},
                          {"qk_rope_head_dim", 4},
                          {"qk_nope_head_dim", 4},
                          {"v_head_dim", 4},
                          {"head_dim", 4},
                          {"max_position_embeddings", 256},
                          {"num_key_value_heads", 2},
                          {"sliding_window", 64},
                          {"intermediate_size_mlp", 16}};
    const auto& experts = family.experts;
    for (const auto& [key, size] : {std::pair{family.width, 16},
                                    {family.blocks, 2},
                                    {family.heads, 4},
                                    {family.inner_width, 32},
                                    {experts.count, 4}})
      if (!key.empty()) config[std::string(key)] = size;
    configs.push_back(config.dump());
  }
  return configs;
}

std::vector<Target> importer_rows() {
  return {imported("csv", {"table.csv"}),
          mapped_table(),
          imported("nccl-tests", {"nccl-tests.txt", "nccl-tests-old.txt", "nccl-tests.json", "nccl-debug.txt"}),
          imported("mpi-benchmarks", {"osu.txt", "imb.txt"}),
          imported("steps", {"steps-megatron.txt", "steps-tf.txt", "steps-others.txt", "steps-bars.txt",
                             "steps-deepspeed.txt", "steps-run.txt", "steps-trainer.txt", "steps-keras.txt"}),
          imported("mllog", {"mllog.txt", "mllog-epochs.txt", "mllog-gpt3.txt", "mllog-samples.txt"}),
          imported("horovod", {"horovod.json", "horovod-cut.json"}),
          imported("kineto", {"kineto.json", "kineto-list.json"}),
          imported("kernels", {"kernels-nsys.txt", "kernels-pytorch.txt"}),
          {"kineto-layers", {seed_file("kineto-lenet5.json")}, take_trace_layers},
          {"hf-config",
           {shipped_file("scenarios/examples/llama-1b-config.json"),
            nlohmann::json::parse(shipped_file("scenarios/examples/hf-configs.json")).at("mpt-125m-config.json").dump(),
            seed_file("hf-bert.json"), seed_file("hf-vit.json"), seed_file("hf-mixtral.json")},
           take_hf_config},
          {"hf-families", family_configs(), take_hf_config}};
}

} // namespace

std::vector<Target> importer_targets() {
  return importer_rows();
}

} // namespace ddlsim_fuzz
