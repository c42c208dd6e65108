#include "sim/base/error.hpp"
#include "sim/formats/record_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {
namespace {

constexpr long most_counted = 1'000'000'000; ///< limit of repetitions; more is a typing error
constexpr double us_in_s = 1e-6;

const std::vector<std::string>& kinds_of_layers() {
  static const auto kinds = [] {
    auto all = layer_kinds();
    all.emplace_back("gemm");
    return all;
  }();
  return kinds;
}

/// Reads a column of a table, with one element for each layer. Returns none when the key is absent or the length is
/// wrong.
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

/// `needs_kinds` is true for kernels; the layers of a model have kinds in the model's own table, too.
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

/// Reads a pass' times; null means that the pass does not run in the layer or was not timed.
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

using LayersLine = RecordLine<LayersRecord>;

ValueShape list_of(const ValueShape& item, std::size_t fewest = 0) {
  ValueShape shape{ValueKind::list};
  shape.fewest_items = fewest;
  shape.parts = {item};
  return shape;
}

ValueShape columns_shape() {
  const ValueShape kinds{ValueKind::word, kinds_of_layers()};
  const auto number = number_type(0, unbounded).shape;
  ValueShape shape{ValueKind::object};
  shape.fields = {{"name", Presence::required, list_of({ValueKind::text}, 1), "of each layer, once"},
                  {"kind", Presence::optional, list_of(kinds), "of each layer; needed of kernels"},
                  {"flop_per_sample", Presence::optional, list_of(number), "of forward; 0: not stated"},
                  {"size_bytes", Presence::optional, list_of(number), "of parameters; 0: not stated"}};
  return shape;
}

ValueShape pass_shape() {
  ValueShape time{ValueKind::either};
  time.parts = {{ValueKind::positive}, {ValueKind::nothing}};
  ValueShape shape{ValueKind::object};
  shape.fields = {{"time_us", Presence::required, list_of(time),
                   "of each layer, for the whole batch; null: the pass does not run there, or was not timed"},
                  {"spread", Presence::optional, list_of(number_type(0, most_relative_spread).shape),
                   "of each layer: standard deviation over the time; 0: not stated"}};
  return shape;
}

ValueShape timing_shape() {
  ValueShape shape{ValueKind::object};
  shape.fields = {
      {"gpu", Presence::optional, {ValueKind::any_text}, "in place of the record's"},
      {"precision", Presence::required, name_of_type<Precision>().shape, "of arithmetic"},
      {"batch", Presence::required, {ValueKind::positive}, "samples of one GPU"},
      {"count", Presence::optional, whole_type(1, most_counted).shape, "repetitions behind each time"},
      {"suspect", Presence::optional, {ValueKind::boolean}, "the source itself, or its importer, doubts it"}};
  for (const auto pass : values_of<LayerPass>())
    shape.fields.push_back({to_text(pass), Presence::optional, pass_shape(), "times of this pass; one pass or more"});
  return shape;
}

Field<LayersLine> columns_row() {
  return {{"layers", Presence::required, columns_shape(), "what the layers are: lists of one length"},
          [](const JsonNode& place, LayersLine& line) {
            line.record.layers = layers_in(place, line.record.model == kKernels);
          },
          [](const LayersLine& line, nlohmann::ordered_json& object) { object["layers"] = layers_json(line.record); }};
}

Field<LayersLine> timings_row() {
  return {
      {"timings", Presence::required, list_of(timing_shape(), 1), "one for each GPU, precision and batch"},
      [](const JsonNode& place, LayersLine& line) {
        auto& record = line.record;
        if (record.layers.empty()) return; // the times of a table without layers have no meaning
        for (const auto& timing : place.elements())
          record.timings.push_back(timing_in(timing, record.head.gpu, record.layers.size()));
        if (record.timings.empty()) place.mistake("no timing found; give one");
      },
      [](const LayersLine& line, nlohmann::ordered_json& object) { object["timings"] = timings_json(line.record); }};
}

/// The fields of a record of layers, whose timings have their own spread and repetitions.
FieldTable<LayersLine> make_layers_fields() {
  auto table = record_table<LayersRecord>(
      to_text(RecordKind::layers),
      {required_of<LayersRecord>("model", &LayersRecord::model, text_type(), "a variant, or \"kernel\""), columns_row(),
       timings_row()},
      {}, [](const JsonNode& node, LayersLine& line) { refuse_bare_model_name(node, "model", line.record.model); });
  std::erase_if(table.fields, [](const Field<LayersLine>& field) {
    const auto& name = field.shape.name;
    return name == "repeats" || name == "relative_spread" || name == "samples_s";
  });
  return table;
}

/// A line of the old format, with one pass of one layer.
struct LayerRow {
  RecordHead head;
  std::string model;
  std::string layer;
  std::string kind;
  LayerPass pass{};
  Precision precision = Precision::fp32;
  double batch = 0;
  double flop = 0;
  double size_bytes = 0;
  double time_s = 0;
};

std::vector<Field<RecordLine<LayerRow>>> rows_of_layer_row() {
  using K = LayerRow;
  return {required_of<K>("model", &K::model, text_type(), "a variant, or \"kernel\""),
          required_of<K>("layer", &K::layer, text_type(), "its name"),
          required_of<K>("kind", &K::kind, word_type(kinds_of_layers()), "what it computes"),
          required_of<K>("pass", &K::pass, name_of_type<LayerPass>(), "forward or a part of backward"),
          required_of<K>("precision", &K::precision, name_of_type<Precision>(), "of arithmetic"),
          required_of<K>("batch", &K::batch, positive_type(), "samples of one GPU"),
          optional_of<K>("flop", &K::flop, positive_type(), "of the pass, for the whole batch"),
          optional_of<K>("size_bytes", &K::size_bytes, positive_type(), "of parameters")};
}

LayersRecord as_table(const LayerRow& row) {
  LayersRecord record;
  record.head = row.head;
  record.model = row.model;
  record.layers.push_back({row.layer, row.kind, row.batch > 0 ? row.flop / row.batch : 0, row.size_bytes});
  LayerTiming timing{row.head.gpu, row.precision, row.batch, row.head.repeats, row.head.suspect, {}};
  timing.passes[row.pass] = {{0, row.time_s, row.head.relative_spread}};
  record.timings.push_back(std::move(timing));
  record.head.repeats = 0;
  record.head.relative_spread = 0;
  record.head.suspect = false;
  record.head.samples_s.clear();
  return record;
}

const FieldTable<RecordLine<LayerRow>>& layer_row_fields() {
  static const auto table = record_table<LayerRow>(
      kOldLayersName, rows_of_layer_row(), time_units(), [](const JsonNode& node, RecordLine<LayerRow>& line) {
        refuse_bare_model_name(node, "model", line.record.model);
        line.record.time_s = line.value * unit_in_si(line.unit, Dimension::time);
      });
  return table;
}

} // namespace

const FieldTable<LayersLine>& layers_fields() {
  static const auto table = make_layers_fields();
  return table;
}

ValueShape layer_row_shape() {
  return layer_row_fields().shape();
}

bool is_layer_row(const JsonNode& line) {
  return line.has("record") && line.at("record").value() == kOldLayersName;
}

LayersRecord layer_row_from(const JsonNode& line, const LineOrigin& origin) {
  return as_table(read_record_line(line, layer_row_fields(), origin));
}

} // namespace ddlsim
