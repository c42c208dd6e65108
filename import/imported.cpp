#include "import/imported.hpp"

#include "import/plain_text.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/gpu_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ddlsim {
namespace {

std::string or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

/// Returns the line number of a place: 12 for "rates.csv:12"; 0 without a line.
long line_of(const std::string& where) {
  const auto colon = where.rfind(':');
  const auto line = colon == std::string::npos ? std::nullopt : parse_number(std::string_view(where).substr(colon + 1));
  return line ? static_cast<long>(line->value) : 0;
}

bool is_date(const std::string& text) {
  const std::string form = "dddd-dd-dd";
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != '-') return false;
  const auto between = [&](std::size_t at, int last) {
    const int value = (text[at] - '0') * 10 + (text[at + 1] - '0');
    return value >= 1 && value <= last;
  };
  return (text.size() < 7 || between(5, 12)) && (text.size() < 10 || between(8, 31));
}

} // namespace

void fill_from_cluster(ImportContext& context) {
  if (!context.find_cluster || context.cluster.empty()) return;
  const auto cluster = context.find_cluster(context.cluster);
  if (!cluster) return;
  if (context.gpu.empty()) context.gpu = cluster->gpu;
  if (context.machine.empty()) context.machine = cluster->title;
  if (context.cluster_gpus_per_node == 0) context.cluster_gpus_per_node = cluster->gpus_per_node;
}

std::string to_json_lines(const MeasurementFile& measurements) {
  std::string lines = to_json_line(measurements.context) + "\n";
  for (const auto& record : measurements.records) lines += to_json_line(record) + "\n";
  return lines;
}

Context context_record(const ImportContext& stated, const std::filesystem::path& file, std::vector<Mistake>& mistakes) {
  if (stated.cluster.empty()) {
    mistakes.push_back(
        {file.string(), "cluster",
         "found no cluster, expected the machine's name: give --cluster NAME (`ddlsim list clusters` shows "
         "those there are); a CSV may say it in a line '# cluster: NAME'"});
  }
  if (!stated.date.empty() && !is_date(stated.date)) {
    mistakes.push_back({file.string(), "date",
                        fmt::format("found '{}', expected a date as 2018, 2018-05 or 2018-05-07", stated.date)});
  }
  Context context;
  context.cluster = stated.cluster;
  const auto match = match_gpu(stated.gpu, stated.catalogue);
  context.gpu = match.gpu == nullptr ? stated.gpu : match.gpu->name;
  context.machine = or_unknown(stated.machine);
  context.software = or_unknown(stated.software);
  context.date = or_unknown(stated.date);
  context.who = or_unknown(stated.who);
  context.source_title = stated.title.empty() ? file.filename().string() : stated.title;
  context.source_file = file.filename().string();
  return context;
}

void throw_mistakes(std::vector<Mistake> mistakes) {
  if (mistakes.empty()) return;
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const Mistake& a, const Mistake& b) { return line_of(a.where) < line_of(b.where); });
  if (mistakes.size() > max_reported_mistakes) {
    const auto more = mistakes.size() - max_reported_mistakes;
    const std::string last = mistakes.back().where;
    mistakes.resize(max_reported_mistakes);
    mistakes.push_back({last.substr(0, last.rfind(':')), "", fmt::format("and {} more mistakes", more)});
  }
  throw UserError(std::move(mistakes));
}

std::string at_line(const std::filesystem::path& file, int line) {
  return fmt::format("{}:{}", file.string(), line);
}

std::string catalogue_gpu_name(const std::string& device_name, const std::vector<Gpu>& catalogue) {
  if (const auto match = match_gpu(device_name, catalogue); match.gpu != nullptr) return match.gpu->name;
  static const std::set<std::string> vendor_words = {"nvidia",   "tesla",  "quadro", "geforce",
                                                     "graphics", "device", "amd",    "instinct"};
  std::string name;
  for (const auto& word : split_words(device_name))
    if (vendor_words.count(lower_case(word)) == 0) name += (name.empty() ? "" : "-") + word;
  return name;
}

void take_logged_gpu(const std::string& device, ImportContext& context, std::vector<std::string>& notes) {
  const auto logged = catalogue_gpu_name(device, context.catalogue);
  if (context.gpu.empty()) {
    context.gpu = logged;
    const auto cluster = context.find_cluster ? context.find_cluster(context.cluster) : std::nullopt;
    if (cluster && !logged.empty() && cluster->gpu != logged)
      notes.push_back(fmt::format("the log's GPUs are {}, those of cluster {} are {}", in_quotes(logged), cluster->name,
                                  cluster->gpu));
  } else if (!logged.empty() && logged != catalogue_gpu_name(context.gpu, context.catalogue)) {
    notes.push_back(fmt::format("the log's GPUs are {}, and {} was stated", in_quotes(logged), in_quotes(context.gpu)));
  }
}

std::vector<std::string> notes_on_gpu(const ImportContext& stated, const Imported& read) {
  const auto& gpu = read.measurements.context.gpu;
  std::vector<std::string> notes;
  if (const auto choice = choice_of_gpu(stated.gpu, stated.catalogue); !choice.empty()) notes.push_back(choice);
  if (gpu.empty() || in_catalogue(gpu, stated.catalogue)) return notes;
  std::vector<std::string> names;
  for (const auto& one : stated.catalogue) names.push_back(one.name);
  const auto nearest = nearest_name(gpu, names);
  notes.push_back(fmt::format("the catalogue has no GPU {}{}: the records keep that name; `--gpu NAME` says another "
                              "(`ddlsim list gpus`), `ddlsim new gpu` makes one of your own",
                              in_quotes(gpu), nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
  return notes;
}

bool in_catalogue(const std::string& gpu, const std::vector<Gpu>& catalogue) {
  return catalogue.empty() ||
         std::any_of(catalogue.begin(), catalogue.end(), [&](const Gpu& one) { return one.name == gpu; });
}

} // namespace ddlsim
