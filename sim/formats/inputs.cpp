#include "sim/formats/inputs.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddlsim {
namespace {

/// One number or quantity of a rough value; `dimension` null: a plain number.
double part_from(const JsonNode& node, const char* key, const Dimension* dimension) {
  return dimension != nullptr ? node.quantity(key, *dimension) : node.positive(key);
}

RoughValue rough_value_from(const JsonNode& owner, const std::string& key, const Dimension* dimension) {
  static constexpr std::string_view known[]{"median", "low", "high"};
  RoughValue value;
  if (!owner.has(key)) return value;
  const auto node = owner.at(key);
  if (!node.is_object()) return value;
  const auto before = node.mistakes_so_far();
  node.allow_only(known);
  value.median = part_from(node, "median", dimension);
  value.low = part_from(node, "low", dimension);
  value.high = part_from(node, "high", dimension);
  if (node.mistakes_so_far() == before && !(value.low <= value.median && value.median <= value.high))
    node.mistake("the median does not lie between low and high; give low, median and high in ascending order");
  return value;
}

RoughValue rough_rate(const JsonNode& owner, const std::string& key) {
  constexpr auto dimension = Dimension::bandwidth;
  return rough_value_from(owner, key, &dimension);
}

RoughValue rough_time(const JsonNode& owner, const std::string& key) {
  constexpr auto dimension = Dimension::time;
  return rough_value_from(owner, key, &dimension);
}

RoughValue rough_number(const JsonNode& owner, const std::string& key) {
  return rough_value_from(owner, key, nullptr);
}

/// What all entries have; `own` are the keys of the kind beside those.
void read_common(const JsonNode& node, std::vector<std::string> own, NamedInput& entry) {
  for (const char* key : {"name", "title", "source", "judgement", "shaped_by"}) own.emplace_back(key);
  node.allow_only(own);
  entry.name = simple_name(node, "name");
  entry.title = node.text("title");
  entry.source = node.paragraph("source");
  if (node.has("judgement")) entry.judgement = node.paragraph("judgement");
  entry.shaped_by = node.texts_or_none("shaped_by");
}

NamedDataset dataset_from(const JsonNode& node) {
  NamedDataset dataset;
  read_common(node, {"bytes_per_sample", "decode_work"}, dataset);
  dataset.bytes_per_sample = node.quantity("bytes_per_sample", Dimension::size);
  if (node.has("decode_work")) dataset.decode_work = node.positive("decode_work");
  return dataset;
}

NamedStorage named_storage_from(const JsonNode& node) {
  NamedStorage storage;
  read_common(node, {"read", "shared_read", "open", "shared_opens_per_s", "small_read_share", "in_memory"}, storage);
  if (!node.has("read") && !node.has("shared_read"))
    node.mistake("no rate found; give read (of one node), shared_read (of all together) or both");
  storage.read_Bps = rough_rate(node, "read");
  storage.shared_read_Bps = rough_rate(node, "shared_read");
  storage.open_s = rough_time(node, "open");
  if (node.has("shared_opens_per_s")) storage.shared_opens_per_s = node.positive("shared_opens_per_s");
  if (node.has("shared_opens_per_s") && !node.has("open"))
    node.mistake_at("open", "missing; give the time to open a file beside shared_opens_per_s");
  if (node.has("small_read_share")) storage.small_read_share = node.positive("small_read_share");
  if (storage.small_read_share > 1)
    node.mistake_at("small_read_share", fmt::format("{:g} found; give a share, 1 or less", storage.small_read_share));
  storage.in_memory = node.boolean_or("in_memory", false);
  return storage;
}

constexpr const char* file_a_sample = "file-a-sample";
constexpr const char* in_sequence = "in-sequence";

NamedFormat format_from(const JsonNode& node) {
  static const std::vector<std::string> reads{file_a_sample, in_sequence};
  NamedFormat format;
  read_common(node, {"reads", "bytes_share", "core_share"}, format);
  format.one_file_a_sample = node.one_of("reads", reads) == reads.front();
  if (node.has("bytes_share")) format.bytes_share = node.positive("bytes_share");
  format.core_share = rough_number(node, "core_share");
  return format;
}

void read_what_workers_read(const JsonNode& node, NamedLoader& loader) {
  for (const auto& way : node.texts_or_none("workers_read")) {
    if (way == file_a_sample)
      loader.workers_read_files = true;
    else if (way == in_sequence)
      loader.workers_read_sequence = true;
    else
      node.mistake_at("workers_read",
                      fmt::format("{} found; give {}, {} or both", in_quotes(way), file_a_sample, in_sequence));
  }
}

NamedLoader loader_from(const JsonNode& node) {
  NamedLoader loader;
  read_common(node, {"core_samples_per_s", "gpu_samples_per_s", "workers_read"}, loader);
  loader.core_samples_per_s = rough_number(node, "core_samples_per_s");
  loader.gpu_samples_per_s = rough_number(node, "gpu_samples_per_s");
  if (!node.has("core_samples_per_s") && !node.has("gpu_samples_per_s"))
    node.mistake("no rate found; give core_samples_per_s, gpu_samples_per_s or both");
  read_what_workers_read(node, loader);
  return loader;
}

template <class Entry>
std::vector<Entry> entries_from(const JsonNode& root, const char* key, Entry (*read)(const JsonNode&)) {
  std::vector<Entry> entries;
  for (const auto& node : root.list(key)) {
    if (!node.is_object()) continue;
    const auto before = node.mistakes_so_far();
    auto entry = read(node);
    const bool taken =
        std::any_of(entries.begin(), entries.end(), [&](const Entry& other) { return other.name == entry.name; });
    if (node.mistakes_so_far() == before && taken)
      node.mistake_at("name", fmt::format("{} is taken by an entry above; give another name", in_quotes(entry.name)));
    entries.push_back(std::move(entry));
  }
  return entries;
}

template <class Entry> const Entry* entry_named(const std::vector<Entry>& entries, const std::string& name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

template <class Entry>
void note_unknown(const std::vector<Entry>& entries, const char* key, const std::string& name,
                  std::vector<UnknownInput>& unknown) {
  if (name.empty() || entry_named(entries, name) != nullptr) return;
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  unknown.push_back({key, unknown_name_text(key, name, names, names)});
}

void take_storage(const NamedStorage& storage, const NamedFormat* format, ResolvedInput& input) {
  auto& pipeline = input.pipeline;
  const bool small = format != nullptr && format->one_file_a_sample;
  if (pipeline.read_Bps == 0) {
    constexpr double no_limit = std::numeric_limits<double>::infinity(); // and not what the cluster's storage reads
    const double median_Bps = storage.read_Bps.median * (small ? storage.small_read_share : 1);
    pipeline.read_Bps = median_Bps > 0 ? median_Bps : no_limit;
    input.uncertainty.read = storage.read_Bps;
  }
  if (pipeline.shared_read_Bps == 0 && storage.shared_read_Bps.median > 0) {
    pipeline.shared_read_Bps = storage.shared_read_Bps.median;
    input.uncertainty.shared_read = storage.shared_read_Bps;
  }
  if (!small) return;
  pipeline.open_s = storage.open_s.median;
  pipeline.shared_opens_per_s = storage.shared_opens_per_s;
  input.uncertainty.open = storage.open_s;
}

void take_loader(const NamedLoader& loader, const NamedFormat* format, double decode_work, ResolvedInput& input) {
  auto& pipeline = input.pipeline;
  pipeline.core_samples_per_s = loader.core_samples_per_s.median / decode_work;
  pipeline.gpu_samples_per_s = loader.gpu_samples_per_s.median / decode_work;
  input.uncertainty.core = loader.core_samples_per_s;
  input.uncertainty.gpu = loader.gpu_samples_per_s;
  if (format == nullptr || format->core_share.median == 0) return;
  pipeline.core_samples_per_s *= format->core_share.median;
  input.uncertainty.core_share = format->core_share;
}

/// How many read and decode one after another; 0 where nobody says how many, or where reading runs ahead or is a copy.
int serial_workers(int readers_stated, const NamedStorage* storage, const NamedFormat* format,
                   const NamedLoader* loader) {
  const bool files = format != nullptr && format->one_file_a_sample;
  if (loader == nullptr || (storage != nullptr && storage->in_memory)) return 0;
  return (files ? loader->workers_read_files : loader->workers_read_sequence) ? readers_stated : 0;
}

} // namespace

double factor_at(const RoughValue& value, double z_score) {
  constexpr double upper_95 = 1.6448536269514722; // of a standard normal 95 % lies below
  if (value.median == 0) return 1;
  const double end = z_score < 0 ? value.low : value.high;
  return std::pow(end / value.median, std::abs(z_score) / upper_95);
}

InputCatalogue inputs_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format", "version", "datasets", "storages", "formats", "loaders"};
  root.allow_only(known);
  return {entries_from(root, "datasets", dataset_from), entries_from(root, "storages", named_storage_from),
          entries_from(root, "formats", format_from), entries_from(root, "loaders", loader_from)};
}

InputCatalogue read_inputs(const std::filesystem::path& file) {
  InputCatalogue inputs;
  read_document(file, "ddlsim-inputs", inputs_version, [&](const JsonNode& root) { inputs = inputs_from(root); });
  return inputs;
}

std::vector<UnknownInput> unknown_inputs(const InputNames& names, const InputCatalogue& known) {
  std::vector<UnknownInput> unknown;
  note_unknown(known.datasets, "dataset", names.dataset, unknown);
  note_unknown(known.storages, "storage", names.storage, unknown);
  note_unknown(known.formats, "format", names.format, unknown);
  note_unknown(known.loaders, "loader", names.loader, unknown);
  return unknown;
}

ResolvedInput resolve_input(const Scenario& scenario, const InputCatalogue& known) {
  const auto& names = scenario.input_names;
  std::vector<Mistake> mistakes;
  for (const auto& [key, what] : unknown_inputs(names, known))
    mistakes.push_back({scenario.name, "/input/" + key, what});
  if (!mistakes.empty()) throw UserError(mistakes);
  ResolvedInput input{scenario.input, {}};
  const auto* dataset = entry_named(known.datasets, names.dataset);
  const auto* format = entry_named(known.formats, names.format);
  auto& pipeline = input.pipeline;
  if (dataset != nullptr && pipeline.bytes_per_sample == 0)
    pipeline.bytes_per_sample = dataset->bytes_per_sample * (format != nullptr ? format->bytes_share : 1);
  pipeline.cores = names.cores_per_node;
  pipeline.readers = names.readers_per_node > 0 ? names.readers_per_node : names.cores_per_node;
  const auto* storage = entry_named(known.storages, names.storage);
  const auto* loader = entry_named(known.loaders, names.loader);
  if (storage != nullptr) take_storage(*storage, format, input);
  if (loader != nullptr) take_loader(*loader, format, dataset != nullptr ? dataset->decode_work : 1, input);
  pipeline.serial_workers = serial_workers(names.readers_per_node, storage, format, loader);
  return input;
}

} // namespace ddlsim
