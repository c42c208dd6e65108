#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {
namespace {

constexpr long most_counted = 1'000'000'000; ///< repetitions; more is a slip of the keyboard
constexpr double us_in_s = 1e-6;

const std::vector<std::string>& kinds_of_layers() {
  static const auto kinds = [] {
    auto all = layer_kinds();
    all.emplace_back("gemm");
    return all;
  }();
  return kinds;
}

/// A column of a table, of as many elements as it has layers; none where the key is absent or the length is wrong.
std::vector<JsonNode> column(const JsonNode& table, const std::string& key, std::size_t layers) {
  if (!table.has(key)) return {};
  const auto before = table.mistakes_so_far();
  auto elements = table.at(key).elements();
  if (table.mistakes_so_far() > before || elements.size() == layers) return elements;
  table.mistake_at(key, fmt::format("{} values found for {} layers; give one for each layer", elements.size(), layers));
  return {};
}

double number_from(const JsonNode& element, double at_most) {
  const auto& value = element.value();
  if (value.is_number() && value.get<double>() >= 0 && value.get<double>() <= at_most) return value.get<double>();
  element.mistake(fmt::format("{} found; give a number from 0{}, 0 where it is not stated", describe(value),
                              at_most < unbounded ? fmt::format(" to {:g}", at_most) : ""));
  return 0;
}

std::string text_from(const JsonNode& element, const std::string& what) {
  if (element.value().is_string() && !element.value().get_ref<const std::string&>().empty())
    return element.value().get<std::string>();
  element.mistake(fmt::format("{} found, {} expected", describe(element.value()), what));
  return {};
}

std::string kind_from(const JsonNode& element) {
  const auto kind = text_from(element, "the kind of a layer");
  const auto& kinds = kinds_of_layers();
  if (!kind.empty() && std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    element.mistake(fmt::format("{} found, one of {} expected", in_quotes(kind), join_names(kinds)));
  return kind;
}

/// `needs_kinds`: of kernels; of a model's layers its own table has them, too.
std::vector<MeasuredLayer> layers_in(const JsonNode& table, bool needs_kinds) {
  std::vector<MeasuredLayer> layers;
  if (!table.is_object()) return layers;
  table.allow_only({"name", "kind", "flop_per_sample", "size_bytes"});
  std::set<std::string> names;
  for (const auto& element : table.list("name")) {
    layers.push_back({text_from(element, "the name of a layer"), "", 0, 0});
    if (!names.insert(layers.back().name).second)
      element.mistake(fmt::format("{} stands twice; name each layer once", in_quotes(layers.back().name)));
  }
  if (table.has("name") && layers.empty()) table.mistake_at("name", "no layer found; name one");
  if (!table.has("kind") && needs_kinds) table.mistake_at("kind", "missing; give a list with the kind of each kernel");
  std::size_t at = 0;
  for (const auto& element : column(table, "kind", layers.size())) layers[at++].kind = kind_from(element);
  at = 0;
  for (const auto& element : column(table, "flop_per_sample", layers.size()))
    layers[at++].flop_per_sample = number_from(element, unbounded);
  at = 0;
  for (const auto& element : column(table, "size_bytes", layers.size()))
    layers[at++].size_bytes = number_from(element, unbounded);
  return layers;
}

/// null: the pass does not run in the layer, or was not timed.
std::vector<PassTime> times_in(const JsonNode& pass, std::size_t layers) {
  std::vector<PassTime> times;
  if (!pass.is_object()) return times;
  pass.allow_only({"time_us", "spread"});
  if (!pass.has("time_us")) pass.mistake_at("time_us", "missing; give a list with the microseconds of each layer");
  const auto spreads = column(pass, "spread", layers);
  std::size_t layer = 0;
  for (const auto& element : column(pass, "time_us", layers)) {
    const auto place = layer++;
    const auto& value = element.value();
    if (value.is_null()) continue;
    if (!value.is_number() || value.get<double>() <= 0)
      element.mistake(
          fmt::format("{} found; give microseconds above 0, or null where the pass does not run", describe(value)));
    else
      times.push_back({place, value.get<double>() * us_in_s,
                       spreads.empty() ? 0 : number_from(spreads[place], most_relative_spread)});
  }
  return times;
}

LayerTiming timing_in(const JsonNode& node, const std::string& gpu, std::size_t layers) {
  LayerTiming timing;
  if (!node.is_object()) return timing;
  std::vector<std::string> known{"gpu", "precision", "batch", "count", "suspect"};
  known.insert(known.end(), names_of<LayerPass>().begin(), names_of<LayerPass>().end());
  node.allow_only(known);
  timing.gpu = node.text_or("gpu", gpu);
  timing.precision = one_of<Precision>(node, "precision");
  timing.batch = node.positive("batch");
  timing.count = static_cast<int>(node.integer_or("count", 0, 1, most_counted));
  timing.suspect = node.boolean_or("suspect", false);
  bool has_pass = false;
  for (const auto pass : values_of<LayerPass>()) {
    if (!node.has(to_text(pass))) continue;
    has_pass = true;
    auto times = times_in(node.at(to_text(pass)), layers);
    if (!times.empty()) timing.passes[pass] = std::move(times);
  }
  if (!has_pass) node.mistake(fmt::format("no pass found; give one of {}", join_names(names_of<LayerPass>())));
  return timing;
}

} // namespace

LayersRecord layers_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{"model", "layers", "timings"};
  LayersRecord record;
  allow_only_with_head(line, keys);
  record.head = head_from(line, origin);
  for (const char* key : {"repeats", "relative_spread", "samples_s"})
    if (line.has(key)) line.mistake_at(key, "has no meaning beside a table; give each timing its count and spread");
  record.model = line.text("model");
  refuse_bare_model_name(line, "model", record.model);
  if (line.has("layers"))
    record.layers = layers_in(line.at("layers"), record.model == kKernels);
  else
    line.mistake_at("layers", "missing; give an object with the list name");
  if (record.layers.empty()) return record; // times would be of none
  for (const auto& timing : line.list("timings"))
    record.timings.push_back(timing_in(timing, record.head.gpu, record.layers.size()));
  if (line.has("timings") && record.timings.empty()) line.mistake_at("timings", "no timing found; give one");
  return record;
}

bool is_layer_row(const JsonNode& line) {
  return line.has("record") && line.at("record").value() == kOldLayersName;
}

LayersRecord layer_row_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{"model", "layer", "kind",       "pass",  "precision",
                                             "batch", "flop",  "size_bytes", "value", "unit"};
  LayersRecord record;
  allow_only_with_head(line, keys);
  record.head = head_from(line, origin);
  record.model = line.text("model");
  refuse_bare_model_name(line, "model", record.model);
  MeasuredLayer layer{line.text("layer"), line.one_of("kind", kinds_of_layers()), 0, 0};
  const auto pass = one_of<LayerPass>(line, "pass");
  LayerTiming timing{record.head.gpu,        one_of<Precision>(line, "precision"),
                     line.positive("batch"), record.head.repeats,
                     record.head.suspect,    {}};
  if (line.has("flop")) layer.flop_per_sample = line.positive("flop") / timing.batch;
  if (line.has("size_bytes")) layer.size_bytes = line.positive("size_bytes");
  timing.passes[pass] = {{0, value_in(line, time_units(), Dimension::time), record.head.relative_spread}};
  record.layers.push_back(std::move(layer));
  record.timings.push_back(std::move(timing));
  record.head.repeats = 0;
  record.head.relative_spread = 0;
  record.head.suspect = false;
  record.head.samples_s.clear();
  return record;
}

} // namespace ddlsim
