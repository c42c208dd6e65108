#include "sim/files/measurement_reader.hpp"
#include "sim/files/text_file.hpp"

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

/// Reads one file; what it was told so far is its state.
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
      } else if (text.find_first_not_of(" \t\r") != std::string::npos) {
        read_line(text);
      }
    }
    mistakes_.move_to(name_);
    if (mistakes_.empty() && !has_context_)
      mistakes_.add("", "the file is empty; a context record is expected first, see the README");
    mistakes_.throw_if_any();
    return std::move(read_);
  }

private:
  void read_line(const std::string& text) {
    nlohmann::json value;
    try {
      value = parse_json_line(text, "");
    } catch (const UserError& error) {
      mistakes_.append(error, "");
      return;
    }
    const Place place(value, "", mistakes_);
    if (!place.is_object()) return;
    const auto kind = value.find("record");
    const bool is_context = kind != value.end() && *kind == "context";
    if (is_context) {
      read_context(place);
    } else {
      read_record(place);
    }
  }

  void read_context(const Place& place) {
    if (has_context_) place.mistake("a second context; give it a file of its own");
    has_context_ = true;
    read_.context = context_from(place);
    if (checks_.context) checks_.context(read_.context, place);
  }

  void read_record(const Place& place) {
    if (!has_context_) place.mistake("a context record is expected first; see the README");
    has_context_ = true; // told once
    const auto record = record_from(place, {&read_.context, name_, line_});
    if (!record) return;
    if (checks_.record) checks_.record(*record, place);
    if (mistakes_.empty()) read_.records.push_back(*record); // else nobody will see them
  }

  const LineChecks& checks_;
  std::string name_;
  Mistakes mistakes_;
  MeasurementFile read_;
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

std::vector<MeasurementFile> read_cluster_measurements(const fs::path& platforms, const std::string& cluster) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(platforms / cluster / "measurements", error), end; !error && it != end;
       it.increment(error))
    if (it->path().extension() == ".jsonl") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  std::vector<MeasurementFile> read;
  read.reserve(files.size());
  for (const auto& file : files) read.push_back(read_measurements(file));
  return read;
}

const RecordHead& head_of(const Record& record) {
  return std::visit([](const auto& one) -> const RecordHead& { return one.head; }, record);
}

std::string kind_of(const Record& record) {
  // in the order of the variant's alternatives
  static const std::array<const char*, std::variant_size_v<Record>> kinds{
      "step", "collective", "point_to_point", "layer", "server", "input", "loss"};
  return kinds.at(record.index());
}

} // namespace ddlsim
