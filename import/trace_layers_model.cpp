#include "import/trace_layers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/base/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double bytes_a_number = 4;               ///< bytes of fp32, which every table uses
constexpr double largest_count = 9007199254740992; ///< 2^53, up to which doubles hold every whole number
constexpr const char* how_to_profile = "profile a training step with record_shapes=True, and write the trace with "
                                       "export_chrome_trace() of a PyTorch that has Kineto";

void check_says_enough(const TraceLayers& seen, const std::string& where) {
  const auto refuse = [&](const std::string& text) { throw UserError(where, "--layers", text); };
  if (!seen.has_shapes) refuse(fmt::format("the trace has no shapes of operators: {}", how_to_profile));
  if (seen.layers.empty())
    refuse(fmt::format("no operator of the last step has a node of backward: {}", how_to_profile));
  if (seen.computes_again)
    refuse("backward computes layers again (activation checkpointing), so that they would stand twice in the table; "
           "profile a step without it");
  const bool has_weights = std::any_of(seen.layers.begin(), seen.layers.end(),
                                       [](const TraceLayer& layer) { return !layer.weights.empty(); });
  if (!has_weights)
    refuse("no gradient is summed in the last step (no AccumulateGrad), so that no parameter is known; trace a "
           "training step, not one that is compiled");
}

/// Returns one sample of the first layer's input, as in "image 3x224x224".
std::string sample_of(const TraceLayers& seen, double batch, const std::string& where) {
  auto shape = seen.input;
  const auto of_batch =
      std::find_if(shape.begin(), shape.end(), [&](long length) { return static_cast<double>(length) == batch; });
  if (of_batch == shape.end())
    throw UserError(where, "--layers",
                    fmt::format("the first layer, {}, takes {}, which has no {} samples; state the batch that forward "
                                "takes at once (batch_per_gpu), and profile a step that runs it once",
                                in_quotes(seen.layers.front().name), fmt::join(shape, "x"), batch));
  shape.erase(of_batch);
  const auto lengths = fmt::format("{}", fmt::join(shape, "x"));
  if (seen.layers.front().kind == "embedding" && shape.size() == 1)
    return fmt::format("sequence of {} tokens", lengths);
  constexpr std::size_t of_image = 3;
  if (shape.size() == of_image) return "image " + lengths;
  return shape.empty() ? "one number" : "array of " + lengths;
}

/// Returns the name of a tensor. Weights have the most dimensions. Those of a norm are its scale and shift.
std::string tensor_name(const TraceLayer& layer, std::size_t place) {
  const bool is_first = place == 0 && (layer.weights.front().size() > 1 || layer.kind == "norm" ||
                                       layer.weights.size() > 1 || layer.kind == "embedding");
  if (is_first) return layer.name + ".weight";
  if (place <= 1 && layer.weights[place].size() == 1) return layer.name + ".bias";
  return fmt::format("{}.weight_{}", layer.name, place + 1);
}

Layer row_of(const TraceLayer& seen, double batch) {
  Layer layer;
  layer.name = seen.name;
  layer.kind = seen.kind;
  layer.forward_flop_per_sample = std::round(seen.flop / batch);
  // A layer with one output for the batch (the mean of its losses) counts as one per sample.
  layer.activation_bytes_per_sample = std::max(bytes_a_number, std::round(bytes_a_number * seen.outputs / batch));
  for (std::size_t i = 0; i < seen.weights.size(); ++i)
    layer.tensors.push_back({tensor_name(seen, i), seen.weights[i], bytes_a_number * product_of(seen.weights[i])});
  return layer;
}

void check_counts(const Model& model, const std::string& where) {
  const auto fits = [](double count) { return std::isfinite(count) && count <= largest_count; };
  bool all_fit = fits(model.parameters);
  for (const auto& layer : model.layers) {
    all_fit = all_fit && fits(layer.forward_flop_per_sample) && fits(layer.activation_bytes_per_sample);
    for (const auto& tensor : layer.tensors) all_fit = all_fit && fits(tensor.size_bytes);
  }
  if (!all_fit) throw UserError(where, "--layers", "shapes of operators are larger than any machine holds");
}

Model table_of(const TraceLayers& seen, const StepRecord& step, const std::filesystem::path& file) {
  Model model;
  model.name = step.model;
  model.title = step.model + ", as a profiler saw it run";
  model.source = fmt::format("ddlsim import kineto {}: made of a trace of the PyTorch profiler, {} samples{}",
                             file.filename().string(), step.batch_per_gpu,
                             seen.lacks_windows ? "; pools counted as if no window overlapped another" : "");
  model.sample = sample_of(seen, step.batch_per_gpu, file.string());
  for (const auto& layer : seen.layers) model.layers.push_back(row_of(layer, step.batch_per_gpu));
  model.parameters = model.size_bytes() / bytes_a_number;
  check_counts(model, file.string());
  return model;
}

bool are_alike(const TraceLayers& a, const TraceLayers& b) {
  return std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(),
                    [](const TraceLayer& one, const TraceLayer& other) {
                      return one.name == other.name && one.flop == other.flop && one.weights == other.weights;
                    });
}

std::vector<double> times_of(const std::vector<TraceLayers>& steps, std::size_t layer, double TraceLayer::*time) {
  std::vector<double> times;
  for (const auto& step : steps)
    if (const double time_s = step.layers[layer].*time; time_s > 0) times.push_back(time_s);
  return times;
}

void add_times(const std::vector<TraceLayers>& steps, std::size_t place, LayerPass pass, LayerTiming& timing) {
  const auto times =
      times_of(steps, place, pass == LayerPass::forward ? &TraceLayer::forward_s : &TraceLayer::backward_s);
  if (times.empty()) return;
  const double spread = times.size() > 1 ? standard_deviation(times) / mean(times) : 0;
  timing.passes[pass].push_back({place, median(times), spread});
}

MeasuredLayer measured_layer(const TraceLayer& seen, double batch) {
  MeasuredLayer layer{seen.name, seen.kind, seen.flop / batch, 0};
  for (const auto& shape : seen.weights) layer.size_bytes += bytes_a_number * product_of(shape);
  return layer;
}

/// Returns the table of times. It is not marked as suspect with its step, because the profiler slows the step but not
/// its kernels.
LayersRecord times_table(const std::vector<TraceLayers>& steps, const StepRecord& step) {
  LayersRecord record;
  record.head = step.head;
  record.head.series = step.head.series + "-layers";
  record.head.statistic = "median";
  record.head.repeats = 0;
  record.head.relative_spread = 0;
  record.head.suspect = false;
  record.head.note.clear();
  record.head.samples_s.clear();
  record.model = step.model;
  record.timings.push_back(
      {step.head.gpu, step.precision, step.batch_per_gpu, static_cast<int>(steps.size()), false, {}});
  const auto& layers = steps.back().layers;
  for (std::size_t place = 0; place < layers.size(); ++place) {
    record.layers.push_back(measured_layer(layers[place], step.batch_per_gpu));
    for (const auto pass : {LayerPass::forward, LayerPass::backward})
      add_times(steps, place, pass, record.timings.front());
  }
  return record;
}

std::vector<std::string> notes_of(const TracedModel& made, const TraceLayers& seen, bool by_kernels) {
  std::vector<std::string> notes{fmt::format(
      "{}: {} layers, {:.0f} parameters, {:.4g} FLOP forward a sample; layers without a gradient (frozen "
      "ones, what runs before the first parameter) are not in the table",
      made.model.name, made.model.layers.size(), made.model.parameters, made.model.forward_flop_per_sample())};
  double total_s = 0;
  for (const auto& [pass, times] : made.record.timings.front().passes)
    for (const auto& time : times) total_s += time.time_s;
  notes.push_back(fmt::format("the layers' {} take {} of a step", by_kernels ? "kernels" : "operators",
                              print_quantity(total_s, Dimension::time)));
  std::vector<std::string> uncounted;
  for (const auto& [name, calls] : seen.uncounted) uncounted.push_back(fmt::format("{} ({})", in_quotes(name), calls));
  if (!uncounted.empty()) notes.push_back("counted as no FLOP, because no rule is known: " + join_names(uncounted));
  return notes;
}

} // namespace

TracedModel traced_model(const KinetoTrace& trace, const std::vector<TraceInterval>& steps, const StepRecord& step,
                         const std::filesystem::path& file) {
  const auto last = layers_of(trace, steps.back());
  check_says_enough(last, file.string());
  TracedModel made;
  made.model = table_of(last, step, file);
  std::vector<TraceLayers> alike;
  for (const auto& one : steps)
    if (auto layers = layers_of(trace, one); are_alike(layers, last)) alike.push_back(std::move(layers));
  made.record = times_table(alike, step);
  made.notes = notes_of(made, last, !trace.kernels.empty());
  return made;
}

} // namespace ddlsim
