#include "trainer/program/layers_command.hpp"

#include "trainer/cuda/device.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/models/network.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/records/record_file.hpp"
#include "trainer/timing/layer_measurement.hpp"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <cstdio>

namespace ddltrain {
namespace {

/// Times do not depend on the numbers drawn; the same each run all the same.
constexpr std::uint64_t kSeed = 1;

LayerMeasurement measure_batch(const LayersOptions& options, const Device& device, Network& network,
                               std::int64_t samples) {
  Batch batch = network.random_batch(samples);
  move_to(device, batch);
  const Autocast autocast(device, options.precision);
  LayerTimer timer(network, batch, *device.marks);
  LayerMeasurement measured = measure_layers(timer, options.measure.limits);
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
             100 * balance.sum_share(), 100 * balance.overhead(), others_text(measured.others_cores),
             records.step.head.suspect ? ": SUSPECT" : "");
}

} // namespace

void layers_command(const LayersOptions& options) {
  const CatalogueEntry& entry = find_model(options.model);
  const Device device = open_device(options.device, options.threads);
  { const Autocast allowed(device, options.precision); } // before a file is touched
  RecordFile file(records_path(options.measure),
                  context_of(options.measure, "ddltrain layers " + options.model, device.software));
  at::manual_seed(kSeed);
  const auto network = entry.make();
  move_to(device, *network);
  for (const std::int64_t samples : options.batches) {
    const LayerMeasurement measured = measure_batch(options, device, *network, samples);
    const LayerRecords records = records_of(measured, options.measure);
    file.add(records.step);
    for (const LayerRecord& layer : records.layers) file.add(layer);
    narrate(measured, records);
  }
}

} // namespace ddltrain
