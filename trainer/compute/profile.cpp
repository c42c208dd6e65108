#include "trainer/compute/profile.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

namespace ddltrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* profile_format = "ddltrain-profile";
constexpr double most_counted = 1e9; ///< largest number of samples or seconds

Profile profile_from(const ddlsim::JsonNode& root) {
  Profile profile;
  root.allow_only({"format", "version", "model", "gpu", "precision", "batch", "source", "layers"});
  profile.model = root.text("model");
  profile.gpu = root.text_or("gpu", "");
  profile.precision = root.text("precision");
  profile.batch = root.number("batch", 1, most_counted);
  profile.source = root.text("source");
  for (const ddlsim::JsonNode& layer : root.list("layers")) {
    if (!layer.is_object()) continue;
    layer.allow_only({"name", "forward_s", "backward_s"});
    profile.layers.push_back(
        {layer.text("name"), layer.number("forward_s", 0, most_counted), layer.number("backward_s", 0, most_counted)});
  }
  return profile;
}

Profile read_own(const std::filesystem::path& file, const std::string& model, double batch) {
  Profile profile;
  ddlsim::read_document(file, profile_format, 1, [&](const ddlsim::JsonNode& root) { profile = profile_from(root); });
  if (profile.model != model) {
    throw ddlsim::UserError(file.string(), "", fmt::format("a profile of {}, not of {}", profile.model, model));
  }
  if (batch > 0 && batch != profile.batch) {
    throw ddlsim::UserError(file.string(), "", fmt::format("a profile at batch {}, not {}", profile.batch, batch));
  }
  return profile;
}

/// Returns the only batch, or the one that was asked for.
double chosen_batch(const std::set<double>& batches, const std::string& file, const std::string& model, double batch) {
  const std::string all = fmt::format("{}", fmt::join(batches, ", "));
  if (batches.empty()) throw ddlsim::UserError(file, "", "no layer records of " + model);
  if (batch == 0 && batches.size() > 1) {
    throw ddlsim::UserError(file, "", fmt::format("{} at several batches ({}); choose one with --batch", model, all));
  }
  if (batch > 0 && batches.count(batch) == 0) {
    throw ddlsim::UserError(file, "", fmt::format("{} at batch {}, not {}", model, all, batch));
  }
  return batch > 0 ? batch : *batches.begin();
}

/// A timing of the model, in its table.
struct TableTiming {
  const ddlsim::LayersRecord* table = nullptr;
  const ddlsim::LayerTiming* timing = nullptr;
};

std::vector<TableTiming> timings_of(const std::vector<ddlsim::LayersRecord>& tables, const std::string& model) {
  std::vector<TableTiming> found;
  for (const auto& table : tables)
    for (const auto& timing : table.timings)
      if (table.model == model) found.push_back({&table, &timing});
  return found;
}

std::string text_of(const TableTiming& one) {
  return fmt::format("{} in {}{}", ddlsim::in_quotes(one.table->head.series), ddlsim::to_text(one.timing->precision),
                     one.timing->gpu.empty() ? "" : " on " + ddlsim::in_quotes(one.timing->gpu));
}

/// Returns the only timing at the batch. If several were added up, layers would take the time of all.
TableTiming only_one_at(const std::vector<TableTiming>& timings, const Profile& profile, const std::string& file) {
  std::vector<TableTiming> at_batch;
  std::copy_if(timings.begin(), timings.end(), std::back_inserter(at_batch),
               [&](const TableTiming& one) { return one.timing->batch == profile.batch; });
  if (at_batch.size() == 1) return at_batch.front();
  std::vector<std::string> texts;
  for (const auto& one : at_batch) texts.push_back(text_of(one));
  throw ddlsim::UserError(file, "",
                          fmt::format("layers of {} at batch {} were timed more than once ({}); give a file with one "
                                      "timing",
                                      profile.model, profile.batch, fmt::join(texts, ", ")));
}

std::vector<LayerTime> layer_times(const TableTiming& chosen) {
  std::vector<LayerTime> layers;
  for (const auto& layer : chosen.table->layers) layers.push_back({layer.name, 0, 0});
  for (const auto& [pass, times] : chosen.timing->passes) {
    if (pass == ddlsim::LayerPass::optimizer) continue;
    const auto field = pass == ddlsim::LayerPass::forward ? &LayerTime::forward_s : &LayerTime::backward_s;
    for (const auto& one : times) layers[one.layer].*field += one.time_s;
  }
  return layers;
}

/// Refuses records beyond the limits within which a profile's own file is read.
void refuse_beyond(const Profile& profile, const std::string& file) {
  if (profile.batch > most_counted)
    throw ddlsim::UserError(
        file, "", fmt::format("{} at batch {}, of {} at the most", profile.model, profile.batch, most_counted));
  for (const auto& layer : profile.layers)
    if (layer.forward_s > most_counted || layer.backward_s > most_counted)
      throw ddlsim::UserError(file, "", fmt::format("layer {} takes more than {} s", layer.layer, most_counted));
}

Profile from_records(const std::filesystem::path& file, const std::string& model, double batch) {
  const ddlsim::MeasurementFile read = ddlsim::read_measurements(file);
  const auto tables = ddlsim::records_of<ddlsim::LayersRecord>({read});
  const auto timings = timings_of(tables, model);
  std::set<double> batches;
  for (const auto& one : timings) batches.insert(one.timing->batch);
  Profile profile;
  profile.model = model;
  profile.source = read.context.source_title + ", " + read.context.date;
  profile.batch = chosen_batch(batches, file.string(), model, batch);
  const auto chosen = only_one_at(timings, profile, file.string());
  profile.gpu = chosen.timing->gpu;
  profile.precision = ddlsim::to_text(chosen.timing->precision);
  profile.layers = layer_times(chosen);
  refuse_beyond(profile, file.string());
  return profile;
}

/// Whether the file is one JSON document. Records are several lines of JSON, or one line without a format.
bool is_document(const std::filesystem::path& file) {
  try {
    const auto whole = ddlsim::parse_json(ddlsim::read_text_file(file), file.string());
    return whole.is_object() && whole.contains("format");
  } catch (const ddlsim::UserError&) {
    return false; // the reader of records says what is wrong
  }
}

} // namespace

Profile read_profile(const std::filesystem::path& file, const std::string& model, double batch) {
  return is_document(file) ? read_own(file, model, batch) : from_records(file, model, batch);
}

std::string profile_json(const Profile& profile) {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  std::string text = fmt::format("{{\"format\":\"{}\",\"version\":1,\n\"model\":{},\n\"gpu\":{},\n\"precision\":{},\n",
                                 profile_format, quoted(profile.model), quoted(profile.gpu), quoted(profile.precision));
  text += fmt::format("\"batch\":{},\n\"source\":{},\n\"layers\":[\n", profile.batch, quoted(profile.source));
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const LayerTime& layer = profile.layers[i];
    text += Json{{"name", layer.layer}, {"forward_s", layer.forward_s}, {"backward_s", layer.backward_s}}.dump();
    text += i + 1 < profile.layers.size() ? ",\n" : "\n";
  }
  return text + "]}\n";
}

double forward_s(const Profile& profile) {
  return std::accumulate(profile.layers.begin(), profile.layers.end(), 0.0,
                         [](double sum, const LayerTime& layer) { return sum + layer.forward_s; });
}

double backward_s(const Profile& profile) {
  return std::accumulate(profile.layers.begin(), profile.layers.end(), 0.0,
                         [](double sum, const LayerTime& layer) { return sum + layer.backward_s; });
}

} // namespace ddltrain
