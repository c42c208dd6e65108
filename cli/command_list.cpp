#include "cli/command.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/data_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace ddlsim {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// What a command lists: a table whose first column has the names.
struct Listing {
  std::vector<Column> columns;
  Rows rows;
};

Listing models_table(const DataFolder& data) {
  Rows rows;
  for (const auto& name : list_models(data)) {
    const auto model = load_model(data, name);
    rows.push_back({name, fmt::format("{:.0f}", model.parameters), print_quantity(model.size_bytes(), Dimension::size),
                    print_quantity(model.forward_flop_per_sample(), Dimension::work), model.sample, model.title});
  }
  return {
      {{"model", Align::left}, {"parameters"}, {"fp32"}, {"forward"}, {"sample", Align::left}, {"title", Align::left}},
      rows};
}

std::string peak_text(const Gpu& gpu, ArithmeticUnit unit) {
  const auto peak = gpu.peak_flop_per_s.find(unit);
  return peak == gpu.peak_flop_per_s.end() ? "" : print_quantity(peak->second, Dimension::compute_rate);
}

Listing gpus_table(const DataFolder& data) {
  Rows rows;
  for (const auto& gpu : load_gpus(data)) {
    rows.push_back({gpu.name, fmt::format("{}", gpu.year), peak_text(gpu, ArithmeticUnit::fp32),
                    peak_text(gpu, ArithmeticUnit::fp16_tensor),
                    print_quantity(gpu.memory_bandwidth_Bps, Dimension::bandwidth),
                    print_quantity(gpu.memory_bytes, Dimension::size)});
  }
  return {{{"gpu", Align::left}, {"year"}, {"fp32"}, {"fp16 tensor"}, {"memory rate"}, {"memory"}}, rows};
}

Listing clusters_table(const DataFolder& data) {
  Rows rows;
  for (const auto& name : list_clusters(data)) {
    const auto cluster = load_cluster(data, name);
    std::string transports;
    for (const auto& transport : cluster.transports) transports += (transports.empty() ? "" : " ") + transport.name;
    rows.push_back(
        {name, fmt::format("{} x {}", cluster.available_nodes, devices_text(cluster)), transports, cluster.title});
  }
  return {
      {{"cluster", Align::left}, {"nodes x GPUs", Align::left}, {"transports", Align::left}, {"title", Align::left}},
      rows};
}

Listing presets_table(const DataFolder& data) {
  Rows rows;
  for (const auto& preset : load_presets(data)) {
    rows.push_back({preset.name, to_text(preset.grouping), preset.overlapped ? "overlapped" : "after backward",
                    to_text(preset.library), preset.title});
  }
  return {{{"preset", Align::left},
           {"grouping", Align::left},
           {"when", Align::left},
           {"library", Align::left},
           {"title", Align::left}},
          rows};
}

/// Returns a value with its range, as in "2.9 GB/s (1.3 GB/s .. 82 GB/s)"; "" if it is not stated.
std::string rough_text(const RoughValue& value, Dimension dimension) {
  if (value.median == 0) return "";
  return fmt::format("{} ({} .. {})", print_quantity(value.median, dimension), print_quantity(value.low, dimension),
                     print_quantity(value.high, dimension));
}

std::string rough_text(const RoughValue& value) {
  return value.median == 0 ? "" : fmt::format("{:g} ({:g} .. {:g})", value.median, value.low, value.high);
}

Listing storages_table(const InputCatalogue& inputs) {
  Rows rows;
  for (const auto& storage : inputs.storages)
    rows.push_back({storage.name, rough_text(storage.read_Bps, Dimension::bandwidth),
                    rough_text(storage.shared_read_Bps, Dimension::bandwidth),
                    rough_text(storage.open_s, Dimension::time)});
  return {{{"storage", Align::left},
           {"a node reads (90 %)", Align::left},
           {"all nodes read (90 %)", Align::left},
           {"a file opens in (90 %)", Align::left}},
          rows};
}

Listing formats_table(const InputCatalogue& inputs) {
  Rows rows;
  for (const auto& format : inputs.formats)
    rows.push_back({format.name, format.one_file_a_sample ? "a file a sample" : "in sequence",
                    format.core_share.median == 0 ? "1" : rough_text(format.core_share), format.title});
  return {{{"format", Align::left},
           {"reads", Align::left},
           {"share of a core's rate left", Align::left},
           {"title", Align::left}},
          rows};
}

Listing loaders_table(const InputCatalogue& inputs) {
  Rows rows;
  for (const auto& loader : inputs.loaders)
    rows.push_back(
        {loader.name, rough_text(loader.core_samples_per_s), rough_text(loader.gpu_samples_per_s), loader.title});
  return {{{"loader", Align::left},
           {"samples/s of a core (90 %)", Align::left},
           {"of a GPU (90 %)", Align::left},
           {"title", Align::left}},
          rows};
}

Listing datasets_table(const InputCatalogue& inputs) {
  Rows rows;
  for (const auto& dataset : inputs.datasets)
    rows.push_back({dataset.name, print_quantity(dataset.bytes_per_sample, Dimension::size),
                    fmt::format("{:g}", dataset.decode_work), dataset.title});
  return {{{"data set", Align::left}, {"sample"}, {"decoding, in ImageNet JPEGs"}, {"title", Align::left}}, rows};
}

std::vector<Listing> inputs_tables(const DataFolder& data) {
  const auto inputs = load_inputs(data);
  return {storages_table(inputs), formats_table(inputs), loaders_table(inputs), datasets_table(inputs)};
}

Listing convergence_table(const DataFolder& data) {
  Rows rows;
  for (const auto& name : list_convergence(data)) {
    const auto runs = load_convergence(data, name);
    rows.push_back({name, join_names(runs.models),
                    fmt::format("{:g} .. {:g}", runs.points.front().global_batch, runs.points.back().global_batch),
                    fmt::format("{:.3g} .. {:.3g}", runs.points.front().epochs, runs.points.back().epochs),
                    runs.target});
  }
  return {{{"convergence", Align::left},
           {"models", Align::left},
           {"samples an iteration", Align::left},
           {"epochs", Align::left},
           {"target", Align::left}},
          rows};
}

std::vector<Listing> listings_of(const std::string& what, const DataFolder& data) {
  if (what == "models") return {models_table(data)};
  if (what == "gpus") return {gpus_table(data)};
  if (what == "clusters") return {clusters_table(data)};
  if (what == "presets") return {presets_table(data)};
  if (what == "convergence") return {convergence_table(data)};
  return inputs_tables(data);
}

/// Keeps the rows of which a cell has the word, without regard to case.
void keep_rows(Rows& rows, const std::string& word) {
  std::erase_if(rows, [&](const std::vector<std::string>& row) {
    return std::none_of(row.begin(), row.end(), [&](const std::string& cell) {
      return lower_case(cell).find(lower_case(word)) != std::string::npos;
    });
  });
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// "mpt_13b_seq2048" -> "mpt": the part of a name that its relatives share.
std::string family_of(const std::string& name) {
  return name.substr(0, std::min(name.find_first_of("-_"), name.find_first_of("0123456789", 1)));
}

/// The names, those of a family as "mpt (20)" where it has several.
std::vector<std::string> families(const Rows& rows) {
  constexpr std::size_t least_of_family = 3;
  std::map<std::string, std::size_t> counts;
  for (const auto& row : rows) ++counts[family_of(row.front())];
  std::vector<std::string> names;
  for (const auto& row : rows) {
    const auto family = family_of(row.front());
    const auto count = counts[family];
    const auto name = count < least_of_family ? row.front() : fmt::format("{} ({})", family, count);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// All names, or those of families where they take more lines than there are.
std::string names_in_lines(const std::string& what, const Rows& rows, std::size_t lines) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.front());
  auto text = to_lines(what + ": " + join_names(names), screen_columns);
  if (lines_in(text) > lines) text = to_lines(what + ": " + join_names(families(rows)), screen_columns);
  return text;
}

/// Cuts a row at the end of a word, because half a number would be another number.
std::string cut_at_word(const std::string& row, const std::string& end) {
  if (row.size() <= screen_columns) return row;
  const auto blank = row.rfind(' ', screen_columns - end.size());
  const auto word = blank == std::string::npos ? blank : row.find_last_not_of(' ', blank);
  return word == std::string::npos ? cut_in_the_middle(row, screen_columns) : row.substr(0, word + 1) + end;
}

/// The table in the width of a screen, whose last column is cut; "" where it does not fit.
std::string narrow_table(const Listing& listing, std::size_t lines) {
  if (listing.rows.size() + 1 > lines) return "";
  std::string text;
  std::istringstream all(to_table(listing.columns, listing.rows));
  for (std::string row; std::getline(all, row);) text += cut_at_word(row, text.empty() ? "" : "...") + "\n";
  return text;
}

std::string listing_screen(std::vector<Listing> listings, const ListCommand& command) {
  std::string text;
  std::size_t count = 0;
  const std::size_t room = (screen_lines - 2) / listings.size();
  const bool has_word = !command.word.empty();
  for (auto& listing : listings) {
    keep_rows(listing.rows, command.word);
    count += listing.rows.size();
    if (listing.rows.empty()) continue;
    const auto table = narrow_table(listing, room);
    const auto lines_of_names = has_word ? listing.rows.size() + 1 : room; // who gives a word wants each name
    text += table.empty() ? names_in_lines(listing.columns.front().header, listing.rows, lines_of_names) : table;
  }
  const auto with = has_word ? fmt::format(" with \"{}\"", command.word) : "";
  const auto narrower = has_word ? "" : fmt::format(", or a word: ddlsim list {} WORD", command.what);
  return to_lines(fmt::format("{} {}{}", count, command.what, with), screen_columns) + text +
         to_lines("More: --details (every figure)" + narrower, screen_columns);
}

} // namespace

int run_list(const ListCommand& command, const CommandLine& line) {
  auto listings = listings_of(command.what, DataFolder{line.data_folder});
  if (!command.details) {
    emit(line, listing_screen(std::move(listings), command));
    return 0;
  }
  std::string text;
  for (auto& listing : listings) {
    keep_rows(listing.rows, command.word);
    text += (text.empty() ? "" : "\n") + to_table(listing.columns, listing.rows);
  }
  emit(line, text);
  return 0;
}

} // namespace ddlsim
