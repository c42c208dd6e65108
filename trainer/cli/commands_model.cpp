#include "sim/compute/layer_times.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/readers.hpp"
#include "trainer/cli/commands.hpp"
#include "trainer/cli/train_records.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/describe/layer_table.hpp"
#include "trainer/describe/torchscript.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/records/surroundings.hpp"
#include "trainer/run_error.hpp"
#include "trainer/timing/layer_measurement.hpp"
#include "trainer/train/training_step.hpp"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace ddltrain {
namespace {

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw RunError("cannot write to standard output");
  }
}

void narrate(const std::string& name, const LayerTable& table) {
  std::size_t tensors = 0;
  for (const LayerRow& row : table) {
    tensors += row.tensors.size();
  }
  fmt::print(stderr, "{}: {} layers, {} parameters in {} tensors, {:.3f} GFLOP forward a sample\n", name, table.size(),
             parameter_count(table), tensors, static_cast<double>(forward_flop_per_sample(table)) / 1e9);
}

} // namespace

void describe_command(const std::string& model, const std::string& output_file) {
  const CatalogueEntry& entry = find_model(model);
  const LayerTable table = describe(*entry.make());
  narrate(entry.name, table);
  const std::string text = table_json(entry, table);
  if (output_file.empty()) {
    print(text);
  } else {
    write_output_file(output_file, text);
  }
}

namespace {

/// Refuses a table that `ddlsim check` would refuse, before it is written.
void check_model_text(const std::string& text, const std::string& where) {
  const auto document = ddlsim::parse_json(text, where);
  ddlsim::Mistakes mistakes(where);
  ddlsim::model_from(ddlsim::JsonNode(document, "", mistakes));
  mistakes.throw_if_any();
}

std::string joined_inputs(const std::vector<std::string>& inputs) {
  std::string text;
  for (const auto& input : inputs) text += (text.empty() ? "" : ", ") + input;
  return text;
}

} // namespace

void describe_module_command(const DescribeModuleOptions& options) {
  std::vector<ModuleInput> inputs;
  for (const auto& text : options.inputs) inputs.push_back(module_input(text));
  const auto described = describe_torchscript(options.file, inputs);
  const auto named = options.output_file.empty() ? options.file : std::filesystem::path(options.output_file);
  const std::string file_name = options.file.filename().string();
  const TableHead head{options.name.empty() ? named.stem().string() : options.name,
                       fmt::format("TorchScript module {} of {}", described.type, file_name),
                       fmt::format("ddltrain describe --torchscript {}, LibTorch {}", file_name, libtorch_version()),
                       joined_inputs(options.inputs)};
  const auto text = table_json(head, described.layers);
  check_model_text(text, options.output_file.empty() ? "--name" : options.output_file);
  for (const auto& note : described.notes) fmt::print(stderr, "{}\n", note);
  narrate(head.name, described.layers);
  if (options.output_file.empty()) {
    print(text);
  } else {
    write_output_file(options.output_file, text);
  }
}

void list_command() {
  std::string text;
  for (const CatalogueEntry& entry : catalogue()) {
    text += fmt::format("{:<20} {}; learning rate {}, weight decay {}\n", entry.name, entry.title,
                        entry.learning_rate.value, entry.weight_decay.value);
  }
  print(text);
}

namespace {

/// Seed of the numbers drawn. Times do not depend on them, but they are the same in each run.
constexpr std::uint64_t timing_seed = 1;

LayerMeasurement measure_batch(const LayersOptions& options, const Device& device, Network& network, LoneWorker& worker,
                               std::int64_t samples) {
  Batch batch = network.random_batch(samples);
  move_to(device, batch);
  LayerTimer timer(network, worker, batch, *device.marks);
  RepeatLimits limits = options.measure.limits;
  limits.warm_up = std::max(limits.warm_up, least_warm_up(device.name));
  LayerMeasurement measured = measure_layers(timer, limits, queued_steps_on(device.name, options.queued_steps));
  measured.model = options.model;
  measured.precision = options.precision;
  measured.batch = samples;
  return measured;
}

void narrate(const LayerMeasurement& measured, const LayerRecords& records) {
  const LayerBalance balance = balance_of(measured);
  fmt::print(stderr,
             "{} batch {}: step {:.4g} ms ({:.1f} samples/s) of {} repetitions; layers sum to {:.1f} % of the passes, "
             "observers cost {:+.1f} %, {}{}\n",
             measured.model, measured.batch, 1e3 * records.step.iteration_s,
             static_cast<double>(measured.batch) / records.step.iteration_s, records.step.head.repeats,
             100 * balance.sum_share(), 100 * balance.overhead(), others_text(measured.others),
             records.step.head.suspect ? ": SUSPECT" : "");
}

/// Adds a timing. All batches are in one table, because their layers are the same.
void add_timing(const LayersRecord& of_batch, std::optional<LayersRecord>& table) {
  if (!table)
    table = of_batch;
  else
    table->timings.push_back(of_batch.timings.front());
}

} // namespace

void layers_command(const LayersOptions& options) {
  const CatalogueEntry& entry = find_model(options.model);
  check_gpu(options.measure.gpu, options.device, "");
  const Device device = open_device(options.device, options.threads);
  if (device.cuda) check_gpu(options.measure.gpu, options.device, driver_name_of_gpu(device.gpu));
  check_precision(device, options.precision); // checked before a file is written
  queued_steps_on(device.name, options.queued_steps);
  const std::string math = choose_math(device, options.precision, options.cudnn_benchmark);
  SgdOptions sgd;
  sgd.learning_rate = entry.learning_rate.value;
  sgd.weight_decay = entry.weight_decay.value;
  ddlsim::Context context = context_of(options.measure, "ddltrain layers " + options.model, device.software);
  context.settings.merge(settings_of(sgd, {}));
  RecordFile file(records_path(options.measure), context, measured_on(options.measure, options.device));
  at::manual_seed(timing_seed);
  const auto network = entry.make();
  move_to(device, *network);
  LoneWorker worker(network, device, options.precision, sgd);
  std::optional<LayersRecord> table;
  try {
    for (const std::int64_t samples : options.batches) {
      LayerMeasurement measured = measure_batch(options, device, *network, worker, samples);
      measured.math = math;
      const LayerRecords records = records_of(measured, options.measure);
      file.add(records.step);
      add_timing(records.layers, table);
      narrate(measured, records);
    }
  } catch (...) { // the largest batch may exceed the GPU's memory
    if (table) file.add(*table);
    throw;
  }
  if (table) file.add(*table);
}

void profile_command(const ProfileOptions& options) {
  const CatalogueEntry& entry = find_model(options.step.model);
  const std::vector<ddlsim::Gpu> gpus = ddlsim::read_gpus(options.platforms / "gpus.json");
  PublishedStep wanted = options.step;
  const ddlsim::Gpu& gpu = ddlsim::find_gpu(gpus, wanted.gpu);
  wanted.gpu = gpu.name; // the name in the catalogue, and not an alias
  ddlsim::peak_flop_per_s(
      gpu, precision_named(wanted.precision)); // refuses a precision before thousands of records are read
  const FoundStep step = find_published_step(options.platforms, wanted);
  const Profile profile = split_by_roofline(describe(*entry.make()), gpu, step, wanted);
  fmt::print(stderr, "{}: forward {:.4g} ms, backward {:.4g} ms in {} layers; {}\n", profile.model,
             1e3 * forward_s(profile), 1e3 * backward_s(profile), profile.layers.size(), step.source);
  if (options.output_file.empty()) {
    print(profile_json(profile));
  } else {
    write_output_file(options.output_file, profile_json(profile));
  }
}

} // namespace ddltrain
