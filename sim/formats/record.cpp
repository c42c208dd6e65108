#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/layer_rows.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <system_error>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// A file with more mistakes is of another kind: its gigabytes are not read to the end.
constexpr std::size_t most_counted = 10'000;

/// Reads one file line by line.
class MeasurementReader {
public:
  MeasurementReader(const fs::path& file, const LineChecks& checks)
      : checks_(checks), name_(file.string()), mistakes_(name_) {
    read_.file = file;
  }

  MeasurementFile run() {
    LineReader lines(read_.file);
    std::string text;
    for (auto result = lines.next(text); result != LineReader::Result::end; result = lines.next(text)) {
      if (mistakes_.count() > most_counted) {
        mistakes_.give_up();
        break;
      }
      mistakes_.move_to(fmt::format("{}:{}", name_, ++line_));
      if (result == LineReader::Result::too_long) {
        mistakes_.add("", fmt::format("a line of more than {} bytes; write one record a line", max_line_bytes));
      } else if (text.find_first_not_of(" \t\r") != std::string::npos && !passes_over(text)) {
        read_line(text);
      }
    }
    mistakes_.move_to(name_);
    refuse_unused_fields();
    if (mistakes_.empty() && !has_context_)
      mistakes_.add("", "the file is empty; a context record is expected first, see docs/formats.md");
    mistakes_.throw_if_any();
    return std::move(read_);
  }

private:
  bool passes_over(const std::string& text) {
    if (!checks_.passes_over || text.find("\"common\"") != std::string::npos) return false;
    const bool shares = common_.records_left > 0;
    if (!checks_.passes_over(shares ? text + common_.text : text)) return false;
    if (shares) --common_.records_left;
    return true;
  }

  void read_line(const std::string& text) {
    nlohmann::json value;
    try {
      value = parse_json_line(text, "");
    } catch (const UserError& error) {
      mistakes_.append(error, "");
      return;
    }
    const JsonNode node(value, "", mistakes_);
    if (!node.is_object()) return;
    const auto kind = value.find("record");
    if (kind != value.end() && *kind == "context") {
      refuse_unused_fields();
      read_context(node);
    } else if (kind != value.end() && *kind == "common") {
      refuse_unused_fields();
      read_common(node);
    } else if (common_.records_left > 0) {
      read_with_common_fields(value);
    } else {
      read_record(node);
    }
  }

  void read_common(const JsonNode& node) {
    common_ = common_fields_from(node, line_);
    repeated_bytes_ += static_cast<std::size_t>(common_.records_left) * common_.text.size();
    if (repeated_bytes_ <= max_document_bytes) return;
    node.mistake("fields too long for so many records; write them in the records, or split the file");
    common_.fields = nlohmann::json::object();
  }

  /// What the record itself says goes before.
  void read_with_common_fields(const nlohmann::json& own) {
    --common_.records_left;
    auto all = common_.fields;
    all.update(own);
    mistakes_.move_to(fmt::format("{}:{} (and line {})", name_, line_, common_.line));
    read_record(JsonNode(all, "", mistakes_));
  }

  void refuse_unused_fields() {
    if (common_.records_left > 0)
      mistakes_.add("", fmt::format("line {} has fields for {} more record{}; correct its \"next\"", common_.line,
                                    common_.records_left, common_.records_left == 1 ? "" : "s"));
    common_.records_left = 0;
  }

  void read_context(const JsonNode& node) {
    context_ = context_from(node);
    if (!has_context_) {
      read_.context = context_;
    } else if (mistakes_.empty()) {
      same_as_first(node);
    }
    has_context_ = true;
    if (checks_.context) checks_.context(context_, node);
  }

  /// What is asked of the file as a whole holds for all of its records.
  void same_as_first(const JsonNode& node) {
    const auto refuse = [&](const char* key, const std::string& found, const std::string& expected) {
      node.mistake_at(key,
                      fmt::format("{} found, {} in the file's first context; give these records a file of their own",
                                  found, expected));
    };
    const Context& first = read_.context;
    if (context_.cluster != first.cluster) refuse("cluster", in_quotes(context_.cluster), in_quotes(first.cluster));
    if (context_.software != first.software)
      refuse("software", in_quotes(context_.software), in_quotes(first.software));
    if (context_.emulated != first.emulated)
      refuse("emulated", fmt::format("{}", context_.emulated), fmt::format("{}", first.emulated));
  }

  void read_record(const JsonNode& node) {
    if (!has_context_) node.mistake("a context record is expected first; see docs/formats.md");
    has_context_ = true; // reported once
    const auto record = record_from(node, {&context_, name_, line_});
    if (!record) return;
    if (checks_.record) checks_.record(*record, node);
    if (node.has("quoted") && read_.notes.empty())
      read_.notes.emplace_back("\"quoted\" of a record counts for nothing any more; leave it out, the next version "
                               "refuses it");
    if (!mistakes_.empty()) return; // they are not used
    if (is_layer_row(node)) {
      layer_rows_.add(std::get<LayersRecord>(*record), read_.records);
    } else {
      read_.records.push_back(*record);
    }
  }

  const LineChecks& checks_;
  std::string name_;
  Mistakes mistakes_;
  MeasurementFile read_;
  Context context_; ///< of the records that follow
  CommonFields common_;
  std::size_t repeated_bytes_ = 0; ///< of fields that are not in each record's line
  LayerRows layer_rows_;
  int line_ = 0;
  bool has_context_ = false;
};

} // namespace

MeasurementFile read_measurements(const fs::path& file, const LineChecks& checks) {
  return MeasurementReader(file, checks).run();
}

MeasurementFile read_measurements(const fs::path& file) {
  return read_measurements(file, LineChecks{});
}

std::vector<fs::path> measurement_files(const fs::path& platforms, const std::string& cluster) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(platforms / cluster / "measurements", error), end; !error && it != end;
       it.increment(error))
    if (it->path().extension() == ".jsonl") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<MeasurementFile> read_cluster_measurements(const fs::path& platforms, const std::string& cluster) {
  std::vector<MeasurementFile> read;
  for (const auto& file : measurement_files(platforms, cluster)) read.push_back(read_measurements(file));
  return read;
}

const RecordHead& head_of(const Record& record) {
  return std::visit([](const auto& one) -> const RecordHead& { return one.head; }, record);
}

RecordKind kind_of(const Record& record) {
  return static_cast<RecordKind>(record.index());
}

namespace {

bool is_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

bool is_date(std::string_view text) {
  constexpr std::array<std::size_t, 3> lengths{4, 7, 10};
  if (text.size() != lengths[0] && text.size() != lengths[1] && text.size() != lengths[2]) return false;
  if (!is_digits(text.substr(0, 4))) return false;
  const auto part = [&](std::size_t at) {
    const bool digits = text[at] == '-' && is_digits(text.substr(at + 1, 2));
    return digits ? (text[at + 1] - '0') * 10 + (text[at + 2] - '0') : 0;
  };
  const bool month_is_good = text.size() < lengths[1] || (part(4) >= 1 && part(4) <= 12);
  const bool day_is_good = text.size() < lengths[2] || (part(7) >= 1 && part(7) <= 31);
  return month_is_good && day_is_good;
}

namespace {

void read_source(const JsonNode& node, Context& context) {
  static constexpr std::string_view known[]{"title", "repository", "path", "commit", "file"};
  if (!node.is_object()) return;
  node.allow_only(known);
  context.source_title = node.text("title");
  context.source_repository = node.text_or("repository", "");
  context.source_path = node.text_or("path", "");
  context.source_commit = node.text_or("commit", "");
  context.source_file = node.text_or("file", "");
}

Facts facts_from(const JsonNode& node) {
  Facts facts;
  if (!node.is_object()) return facts;
  for (const auto& [name, ignored] : node.value().items()) facts[name] = node.text_or(name, "");
  return facts;
}

} // namespace

Context context_from(const JsonNode& line) {
  static constexpr std::string_view known[]{"record", "version", "cluster", "gpu",      "machine",  "software",
                                            "date",   "who",     "source",  "emulated", "settings", "nodes"};
  Context context;
  line.allow_only(known);
  const long version = line.integer("version", 1, 1'000'000);
  if (version != 1) line.mistake_at("version", fmt::format("{} found; this ddlsim reads version 1", version));
  context.cluster = line.text("cluster");
  context.gpu = line.text_or("gpu", "");
  if (context.gpu == kFakeGpu) {
    line.mistake_at("gpu", "these times were taken on the fake GPU of ddltrain's tests and say nothing of any machine; "
                           "remove the file");
  }
  context.machine = line.text("machine");
  context.software = line.text("software");
  context.date = line.text("date");
  if (!context.date.empty() && context.date != "unknown" && !is_date(context.date)) {
    line.mistake_at("date", fmt::format("{} is not a date; give 2018, 2018-05, 2018-05-07 or \"unknown\"",
                                        in_quotes(context.date)));
  }
  context.who = line.text("who");
  read_source(line.at("source"), context);
  context.emulated = line.boolean("emulated");
  if (line.has("settings")) context.settings = facts_from(line.at("settings"));
  if (line.has("nodes")) {
    for (const auto& node : line.at("nodes").elements()) context.nodes.push_back(facts_from(node));
  }
  return context;
}

namespace {

const std::vector<std::string>& head_keys() {
  static const std::vector<std::string> keys{
      "record",   "series",    "from",    "origin",          "gpu",     "device", "host",     "transport", "library",
      "software", "statistic", "repeats", "relative_spread", "suspect", "note",   "samples_s"};
  return keys;
}

const std::vector<std::string>& transports_or_unknown() {
  static const auto names = [] {
    auto all = transport_names();
    all.emplace_back(kUnknown);
    return all;
  }();
  return names;
}

/// Where in the source the figure stands; own runs have no source. A JSON source is pointed into with a JSON pointer.
std::string from_of(const JsonNode& line, const std::string& origin, const std::string& source_file) {
  std::string from = line.text_or("from", "");
  if (origin == "run") return from;
  const bool json_source = source_file.size() > 5 && source_file.compare(source_file.size() - 5, 5, ".json") == 0;
  if (from.empty()) {
    line.mistake_at("from",
                    fmt::format("missing for a figure of origin \"{}\"; say where in the source it stands", origin));
  } else if (json_source && from.front() != '/') {
    line.mistake_at("from", fmt::format("{} is no JSON pointer; write one into {}, like \"/points/3\"", in_quotes(from),
                                        in_quotes(source_file)));
  }
  return from;
}

/// Times of the repetitions; as many as "repeats", where that is stated.
std::vector<double> samples_from(const JsonNode& line, int repeats) {
  if (!line.has("samples_s")) return {};
  const auto before = line.mistakes_so_far();
  std::vector<double> samples;
  for (const auto& element : line.at("samples_s").elements()) {
    if (!element.value().is_number() || element.value().get<double>() <= 0) {
      element.mistake(fmt::format("{} found, the seconds of one repetition expected; leave it out of the list",
                                  describe(element.value())));
    } else {
      samples.push_back(element.value().get<double>());
    }
  }
  if (line.mistakes_so_far() > before) return samples;
  if (samples.empty()) line.mistake_at("samples_s", "no time found; list one for each repetition, or leave it out");
  if (!samples.empty() && repeats > 0 && samples.size() != static_cast<std::size_t>(repeats))
    line.mistake_at("samples_s", fmt::format("{} times found for {} repeats; correct one", samples.size(), repeats));
  return samples;
}

} // namespace

RecordHead head_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> origins{"table", "text", "plot", "run"};
  static const std::vector<std::string> statistics{"median", "mean", "best_of", kUnknown};
  static const std::vector<std::string> devices{"cpu", "cuda"};
  constexpr long most_repeats = 1'000'000'000;
  RecordHead head;
  head.file = origin.file;
  head.line = origin.line;
  head.series = line.text("series");
  const bool published = line.has("from") && line.at("from").value() != "";
  head.origin = line.one_of_or("origin", origins, published ? "table" : "run");
  head.from = from_of(line, head.origin, origin.context->source_file);
  head.gpu = line.text_or("gpu", origin.context->gpu);
  head.device = line.one_of_or("device", devices, "");
  head.host = line.text_or("host", "");
  head.transport = line.one_of_or("transport", transports_or_unknown(), kUnknown);
  head.library = text_or_unknown(line, "library");
  head.software = line.text_or("software", "");
  head.statistic = line.one_of_or("statistic", statistics, kUnknown);
  head.repeats = static_cast<int>(line.integer_or("repeats", 0, 1, most_repeats));
  head.relative_spread = line.number_or("relative_spread", 0, 0, most_relative_spread);
  head.suspect = line.boolean_or("suspect", false);
  head.note = line.text_or("note", "");
  head.samples_s = samples_from(line, head.repeats);
  return head;
}

void allow_only_with_head(const JsonNode& line, const std::vector<std::string>& own) {
  const auto is_known = [&](const std::string& key) {
    return std::find(own.begin(), own.end(), key) != own.end() ||
           std::find(head_keys().begin(), head_keys().end(), key) != head_keys().end();
  };
  const auto& items = line.value().items();
  if (std::all_of(items.begin(), items.end(), [&](const auto& item) { return is_known(item.key()); })) return;
  auto all = head_keys(); // copied only where there is something to report
  all.insert(all.end(), own.begin(), own.end());
  line.allow_only(all);
}

std::string text_or_unknown(const JsonNode& line, const std::string& key) {
  return line.has(key) ? line.text(key) : kUnknown;
}

const std::vector<std::string>& time_units() {
  static const std::vector<std::string> units{"s", "ms", "us"};
  return units;
}

double value_in(const JsonNode& line, const std::vector<std::string>& units, Dimension dimension) {
  const double value = line.positive("value");
  const std::string unit = line.one_of("unit", units);
  return unit.empty() ? value : value * unit_in_si(unit, dimension);
}

} // namespace ddlsim
