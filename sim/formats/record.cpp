#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/layer_rows.hpp"
#include "sim/formats/record_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <system_error>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// A file with more mistakes is probably of another kind; it is not read to its end.
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
      mistakes_.add("", "the file is empty; a context record is expected first (`ddlsim schema measurement`)");
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

  /// Reads a record with the common fields; its own fields take precedence.
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

  /// Checks that the fields that must be the same in all contexts of a file are those of the first one.
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
    if (!has_context_) node.mistake("a context record is expected first (`ddlsim schema measurement`)");
    has_context_ = true; // so that the missing context is reported once
    const auto record = record_from(node, {&context_, name_, line_});
    if (!record) return;
    if (checks_.record) checks_.record(*record, node);
    if (node.has("quoted") && read_.notes.empty())
      read_.notes.emplace_back("\"quoted\" of a record counts for nothing any more; leave it out, the next version "
                               "refuses it");
    if (!mistakes_.empty()) return; // records of a file with mistakes are not used
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
  Context context_; ///< applies to the following records
  CommonFields common_;
  std::size_t repeated_bytes_ = 0; ///< bytes of common fields, which are not in each record's line
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

Facts facts_from(const JsonNode& node) {
  Facts facts;
  if (!node.is_object()) return facts;
  for (const auto& [name, ignored] : node.value().items()) facts[name] = node.text_or(name, "");
  return facts;
}

ValueType<Facts> facts_type() {
  ValueShape shape{ValueKind::map};
  shape.parts = {{ValueKind::any_text}};
  return {shape, facts_from, [](const Facts& facts) { return nlohmann::ordered_json(facts); }};
}

/// A date or "unknown".
ValueType<std::string> date_or_unknown_type() {
  ValueShape shape{ValueKind::either};
  shape.parts = {date_type().shape, {ValueKind::constant, {kUnknown}}};
  return {shape,
          [](const JsonNode& place) {
            auto date = place.as_text();
            if (!date.empty() && date != kUnknown && !is_date(date))
              place.mistake(
                  fmt::format("{} is not a date; give 2018, 2018-05, 2018-05-07 or \"unknown\"", in_quotes(date)));
            return date;
          },
          [](const std::string& date) { return nlohmann::ordered_json(date); }};
}

FieldTable<Context> source_fields() {
  return {{required("title", &Context::source_title, text_type(), "of the publication, or of one's own runs"),
           optional("repository", &Context::source_repository, any_text_type(), "where the figures stand"),
           optional("path", &Context::source_path, any_text_type(), "in the repository"),
           optional("commit", &Context::source_commit, any_text_type(), "of the repository"),
           optional("file", &Context::source_file, any_text_type(), "what the records' \"from\" points into")}};
}

void check_context(const JsonNode& line, Context& context) {
  if (context.gpu == kFakeGpu)
    line.mistake_at("gpu", "these times were taken on the fake GPU of ddltrain's tests and say nothing of any machine; "
                           "remove the file");
}

/// The row "version" of a context line.
Field<Context> version_row() {
  ValueShape shape{ValueKind::constant};
  shape.least = 1;
  return {{"version", Presence::required, shape, "of the format"},
          [](const JsonNode& place, Context&) {
            const long version = place.as_integer(1, 1'000'000);
            if (version != 1) place.mistake(fmt::format("{} found; this ddlsim reads version 1", version));
          },
          [](const Context&, nlohmann::ordered_json& object) { object["version"] = 1; }};
}

} // namespace

const FieldTable<Context>& context_fields() {
  static const FieldTable<Context> table{
      {kind_row<Context>("context"), version_row(),
       required("cluster", &Context::cluster, text_type(), "folder name under platforms/"),
       optional("gpu", &Context::gpu, any_text_type(), "name in gpus.json; \"\" when records say it or there is none"),
       required("machine", &Context::machine, text_type(), "in words"),
       required("software", &Context::software, text_type(), "names and versions"),
       required("date", &Context::date, date_or_unknown_type(), "of the measurement"),
       required("who", &Context::who, text_type(), "who measured"),
       group("source", source_fields(), "where the figures stand"),
       required("emulated", &Context::emulated, boolean_type(), "timed waits stand for a GPU"),
       optional("settings", &Context::settings, facts_type(),
                "variables that steer MPI, NCCL, UCX and OpenMP, cores of a rank, the processor"),
       optional("nodes", &Context::nodes, list_type(facts_type()),
                "what tells one node from another: host, GPUs, clocks, place in the batch system")},
      check_context};
  return table;
}

Context context_from(const JsonNode& line) {
  return read_object(line, context_fields());
}

std::vector<std::string> transports_or_unknown() {
  auto all = transport_names();
  all.emplace_back(kUnknown);
  return all;
}

namespace {

/// Checks where in the source the figure is. Own runs have no source; for a JSON source it is a JSON pointer.
void check_from(const JsonNode& line, const RecordHead& head, const std::string& source_file) {
  if (head.origin == "run") return;
  const bool is_json = source_file.ends_with(".json");
  if (head.from.empty()) {
    line.mistake_at(
        "from", fmt::format("missing for a figure of origin \"{}\"; say where in the source it stands", head.origin));
  } else if (is_json && head.from.front() != '/') {
    line.mistake_at("from", fmt::format("{} is no JSON pointer; write one into {}, like \"/points/3\"",
                                        in_quotes(head.from), in_quotes(source_file)));
  }
}

} // namespace

void check_head(const JsonNode& line, const std::string& source_file, RecordHead& head) {
  if (head.origin.empty()) head.origin = head.from.empty() ? "run" : "table";
  check_from(line, head, source_file);
  const auto times = head.samples_s.size();
  if (times > 0 && head.repeats > 0 && times != static_cast<std::size_t>(head.repeats))
    line.mistake_at("samples_s", fmt::format("{} times found for {} repeats; correct one", times, head.repeats));
}

const std::vector<std::string>& time_units() {
  static const std::vector<std::string> units{"s", "ms", "us"};
  return units;
}

} // namespace ddlsim
