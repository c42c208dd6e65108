#include "trainer/compute/profile.hpp"

#include "trainer/files/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace ddltrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "ddltrain-profile";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file)) throw UsageError("cannot read the profile " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

double time_unit_s(const std::string& unit) {
  static const std::map<std::string, double> units{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
  return units.at(unit);
}

Profile from_profile(const Json& json) {
  Profile profile;
  profile.model = json.at("model");
  profile.gpu = json.at("gpu");
  profile.precision = json.at("precision");
  profile.batch = json.at("batch");
  profile.source = json.at("source");
  for (const Json& layer : json.at("layers")) {
    profile.layers.push_back({layer.at("name"), layer.at("forward_s"), layer.at("backward_s")});
  }
  return profile;
}

/// Layer records of one batch; what they say of their passes is added up by layer.
class RecordsProfile {
public:
  RecordsProfile(std::string model, double batch) : batch_(batch) { profile_.model = std::move(model); }

  void add(const Json& line) {
    const std::string kind = line.value("record", "");
    if (kind == "context") {
      profile_.gpu = line.value("gpu", "");
      profile_.source = line.at("source").at("title").get<std::string>() + ", " + line.value("date", "");
    }
    if (kind != "layer" || line.at("model") != profile_.model) return;
    const double batch = line.at("batch");
    batches_.insert(batch);
    if (batch_ > 0 && batch != batch_) return;
    profile_.precision = line.at("precision");
    add_time(line.at("layer"), line.at("pass"), line.at("value").get<double>() * time_unit_s(line.at("unit")));
  }

  Profile finish(const std::string& file) {
    const std::string batches = fmt::format("{}", fmt::join(batches_, ", "));
    if (batches_.empty()) throw UsageError(fmt::format("{} has no layer records of {}", file, profile_.model));
    if (batch_ == 0 && batches_.size() > 1) {
      throw UsageError(
          fmt::format("{} has {} at several batches ({}); choose one with --batch", file, profile_.model, batches));
    }
    if (profile_.layers.empty()) {
      throw UsageError(fmt::format("{} has {} at batch {}, not {}", file, profile_.model, batches, batch_));
    }
    profile_.batch = batch_ > 0 ? batch_ : *batches_.begin();
    return std::move(profile_);
  }

private:
  void add_time(const std::string& layer, const std::string& pass, double time_s) {
    const auto [at, is_new] = index_.emplace(layer, profile_.layers.size());
    if (is_new) profile_.layers.push_back({layer, 0, 0});
    LayerTime& time = profile_.layers[at->second];
    if (pass == "forward") time.forward_s += time_s;
    if (pass.rfind("backward", 0) == 0) time.backward_s += time_s;
  }

  Profile profile_;
  double batch_;
  std::set<double> batches_;
  std::map<std::string, std::size_t> index_;
};

Profile from_records(const std::string& text, const std::filesystem::path& file, const std::string& model,
                     double batch) {
  RecordsProfile records(model, batch);
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.empty()) records.add(Json::parse(line));
  }
  return records.finish(file.string());
}

Profile checked(Profile profile, const std::filesystem::path& file, const std::string& model, double batch) {
  if (profile.model != model) {
    throw UsageError(fmt::format("{} is a profile of {}, not of {}", file.string(), profile.model, model));
  }
  if (batch > 0 && batch != profile.batch) {
    throw UsageError(fmt::format("{} is a profile at batch {}, not {}", file.string(), profile.batch, batch));
  }
  return profile;
}

} // namespace

Profile read_profile(const std::filesystem::path& file, const std::string& model, double batch) {
  const std::string text = text_of(file);
  try {
    const Json whole = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (whole.is_object() && whole.value("format", "") == kFormat) {
      return checked(from_profile(whole), file, model, batch);
    }
    return from_records(text, file, model, batch);
  } catch (const Json::exception& error) {
    throw UsageError(fmt::format("{} is neither a profile nor a measurement file with layer records: {}", file.string(),
                                 error.what()));
  } catch (const std::out_of_range&) {
    throw UsageError(fmt::format("{} has a layer record in an unknown unit; ddlsim check tells where", file.string()));
  }
}

std::string profile_json(const Profile& profile) {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  std::string text = fmt::format("{{\"format\":\"{}\",\"version\":1,\n\"model\":{},\n\"gpu\":{},\n\"precision\":{},\n",
                                 kFormat, quoted(profile.model), quoted(profile.gpu), quoted(profile.precision));
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
