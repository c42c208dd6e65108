#include "sim/formats/inputs.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/field_table.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ddlsim {
namespace {

/// A roughly known value whose three numbers have the type `part`.
ValueType<RoughValue> rough_type(const ValueType<double>& part) {
  const auto ascend = [](const JsonNode& node, RoughValue& value) {
    if (!(value.low <= value.median && value.median <= value.high))
      node.mistake("the median does not lie between low and high; give low, median and high in ascending order");
  };
  return object_type<RoughValue>({{required("median", &RoughValue::median, part, "half of them lie below"),
                                   required("low", &RoughValue::low, part, "5 % lie below"),
                                   required("high", &RoughValue::high, part, "5 % lie above")},
                                  ascend});
}

ValueType<RoughValue> rough_rate() {
  return rough_type(quantity_type(Dimension::bandwidth));
}

ValueType<RoughValue> rough_number() {
  return rough_type(positive_type());
}

/// Converts a member of the base class to a member of the entry.
template <class Entry, class Value> Value Entry::*of(Value NamedInput::*member) {
  return member;
}

/// The fields that all entries have, followed by `own`.
template <class Entry> std::vector<Field<Entry>> entry_fields(std::vector<Field<Entry>> own) {
  std::vector<Field<Entry>> fields{
      required("name", of<Entry>(&NamedInput::name), name_type(), "what scenarios call it"),
      required("title", of<Entry>(&NamedInput::title), text_type(), "what it is"),
      required("source", of<Entry>(&NamedInput::source), paragraph_type(), "where the figures stand"),
      optional("judgement", of<Entry>(&NamedInput::judgement), paragraph_type(), "what of it no measurement says"),
      optional("shaped_by", of<Entry>(&NamedInput::shaped_by), list_type(text_type()),
               "clusters whose runs the figures come from")};
  for (auto& field : own) fields.push_back(std::move(field));
  return fields;
}

FieldTable<NamedDataset> dataset_fields() {
  return {entry_fields<NamedDataset>(
      {required("bytes_per_sample", &NamedDataset::bytes_per_sample, quantity_type(Dimension::size), "as a file"),
       optional("decode_work", &NamedDataset::decode_work, positive_type(),
                "of a sample, in units of an ImageNet JPEG's; 1 if not given")})};
}

void check_storage(const JsonNode& node, NamedStorage& /*storage*/) {
  if (!node.has("read") && !node.has("shared_read"))
    node.mistake("no rate found; give read (of one node), shared_read (of all together) or both");
  if (node.has("shared_opens_per_s") && !node.has("open"))
    node.mistake_at("open", "missing; give the time to open a file beside shared_opens_per_s");
}

FieldTable<NamedStorage> storage_fields() {
  return {
      entry_fields<NamedStorage>(
          {optional("read", &NamedStorage::read_Bps, rough_rate(),
                    "what one node reads; this or shared_read is needed"),
           optional("shared_read", &NamedStorage::shared_read_Bps, rough_rate(), "what all nodes read together"),
           optional("open", &NamedStorage::open_s, rough_type(quantity_type(Dimension::time)),
                    "a reader's time to open a small file"),
           optional("shared_opens_per_s", &NamedStorage::shared_opens_per_s, positive_type(),
                    "files that all nodes open together"),
           optional("small_read_share", &NamedStorage::small_read_share, share_type(),
                    "of read, where samples are files of about 100 KB; 1 if not given"),
           optional("in_memory", &NamedStorage::in_memory, boolean_type(), "a read is a copy; false if not given")}),
      check_storage};
}

constexpr const char* file_a_sample = "file-a-sample";
constexpr const char* in_sequence = "in-sequence";

/// How samples are read; true: one file for each sample.
ValueType<bool> reads_type() {
  return stored_as<bool, std::string>(
      word_type({file_a_sample, in_sequence}), [](const std::string& word) { return word == file_a_sample; },
      [](const bool& is_files) { return std::string(is_files ? file_a_sample : in_sequence); });
}

FieldTable<NamedFormat> format_fields() {
  return {entry_fields<NamedFormat>(
      {required("reads", &NamedFormat::one_file_a_sample, reads_type(), "small files, or large ones in sequence"),
       optional("bytes_share", &NamedFormat::bytes_share, positive_type(), "of a sample as a file; 1 if not given"),
       optional("core_share", &NamedFormat::core_share, rough_number(),
                "of the loader's rate, left after unpacking; 1 if not given")})};
}

ValueType<WorkersRead> workers_read_type() {
  return stored_as<WorkersRead, std::vector<std::string>>(
      list_type(word_type({file_a_sample, in_sequence})),
      [](const std::vector<std::string>& words) {
        return WorkersRead{is_in(words, file_a_sample), is_in(words, in_sequence)};
      },
      [](const WorkersRead& read) {
        std::vector<std::string> words;
        if (read.files) words.emplace_back(file_a_sample);
        if (read.sequence) words.emplace_back(in_sequence);
        return words;
      });
}

void check_loader(const JsonNode& node, NamedLoader& /*loader*/) {
  if (!node.has("core_samples_per_s") && !node.has("gpu_samples_per_s"))
    node.mistake("no rate found; give core_samples_per_s, gpu_samples_per_s or both");
}

FieldTable<NamedLoader> loader_fields() {
  return {entry_fields<NamedLoader>(
              {optional("core_samples_per_s", &NamedLoader::core_samples_per_s, rough_number(),
                        "what one core decodes; this or gpu_samples_per_s is needed"),
               optional("gpu_samples_per_s", &NamedLoader::gpu_samples_per_s, rough_number(),
                        "what one GPU decodes, where GPUs do"),
               optional("workers_read", &NamedLoader::workers_read, workers_read_type(),
                        "what a worker reads itself before it decodes; reading runs ahead if not given")}),
          check_loader};
}

/// A list of entries with different names.
template <class Entry> ValueType<std::vector<Entry>> entries_type(FieldTable<Entry> table) {
  auto type = list_type(object_type(std::move(table)));
  type.read = [read = type.read](const JsonNode& place) {
    const auto before = place.mistakes_so_far();
    auto entries = read(place);
    if (place.mistakes_so_far() > before) return entries;
    std::set<std::string> names;
    const auto places = place.elements();
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (!names.insert(entries[i].name).second)
        places[i].mistake_at(
            "name", fmt::format("{} is taken by an entry above; give another name", in_quotes(entries[i].name)));
    return entries;
  };
  return type;
}

const FieldTable<InputCatalogue>& input_fields() {
  static const auto table = document<InputCatalogue>(
      "ddlsim-inputs", inputs_version,
      {required("datasets", &InputCatalogue::datasets, entries_type(dataset_fields()), "sets of samples"),
       required("storages", &InputCatalogue::storages, entries_type(storage_fields()), "where samples lie"),
       required("formats", &InputCatalogue::formats, entries_type(format_fields()), "how samples are packed"),
       required("loaders", &InputCatalogue::loaders, entries_type(loader_fields()),
                "what decodes and augments samples: rates of the usual ImageNet training pipeline")});
  return table;
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
    constexpr double no_limit = std::numeric_limits<double>::infinity(); // the rate replaces the cluster's storage
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

/// Returns the number of workers that each read and then decode a sample: 0 when the number is not stated, when reading
/// runs ahead, or when a read is a copy in memory.
int serial_workers(int readers_stated, const NamedStorage* storage, const NamedFormat* format,
                   const NamedLoader* loader) {
  const bool files = format != nullptr && format->one_file_a_sample;
  if (loader == nullptr || (storage != nullptr && storage->in_memory)) return 0;
  return (files ? loader->workers_read.files : loader->workers_read.sequence) ? readers_stated : 0;
}

} // namespace

double factor_at(const RoughValue& value, double z_score) {
  constexpr double upper_95 = 1.6448536269514722; // 95 % of a standard normal distribution lie below this value
  if (value.median == 0) return 1;
  const double end = z_score < 0 ? value.low : value.high;
  return std::pow(end / value.median, std::abs(z_score) / upper_95);
}

InputCatalogue inputs_from(const JsonNode& root) {
  return read_object(root, input_fields());
}

FileFormat inputs_format() {
  return {"inputs", "Storage, formats, loaders and data sets by name", "scenarios/inputs.json", input_fields().shape()};
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
