#include "tests/import/import_support.hpp"

#include "import/importers.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <fstream>
#include <unistd.h>

namespace ddlsim::test {
namespace {

std::filesystem::path fresh_folder() {
  static int number = 0;
  auto folder = std::filesystem::temp_directory_path() / fmt::format("ddlsim-import-{}-{}", ::getpid(), ++number);
  std::filesystem::create_directories(folder);
  return folder;
}

/// As nccl-tests prints a time: fewer decimals for larger numbers.
std::string print_us(double value) {
  if (value >= 10000) return fmt::format("{:7.0f}", value);
  return value >= 100 ? fmt::format("{:7.1f}", value) : fmt::format("{:7.2f}", value);
}

double algbw_GBps_of(double size_bytes, bool in_place) {
  return size_bytes / log_time_us(size_bytes, in_place) / 1e3;
}

/// As the closing line has it: of both halves.
double mean_busbw_GBps(const LogStyle& style) {
  double sum = 0;
  for (const double size : style.sizes)
    sum += style.bus_factor * (algbw_GBps_of(size, false) + algbw_GBps_of(size, true));
  return sum / (2.0 * static_cast<double>(style.sizes.size()));
}

std::string half_text(const LogStyle& style, double size_bytes, bool in_place) {
  const double time_us = log_time_us(size_bytes, in_place);
  const double algbw_GBps = algbw_GBps_of(size_bytes, in_place);
  const bool nccl1 = style.layout == LogStyle::Layout::nccl1;
  return fmt::format("  {}  {:6.2f}  {:6.2f}  {:>5}", nccl1 ? fmt::format("{:7.3f}", time_us / 1e3) : print_us(time_us),
                     algbw_GBps, algbw_GBps * style.bus_factor, style.layout == LogStyle::Layout::root ? "0" : "2e-07");
}

std::string row_text(const LogStyle& style, double size_bytes) {
  std::string row = fmt::format("{:12.0f}  {:12.0f}  {:>8}", size_bytes, size_bytes / 4, "float");
  if (style.layout != LogStyle::Layout::no_root || style.redop != "none") row += fmt::format("  {:>6}", style.redop);
  if (style.layout == LogStyle::Layout::root) row += fmt::format("  {:6}", style.root);
  return row + half_text(style, size_bytes, false) + half_text(style, size_bytes, true);
}

std::string header_text(const LogStyle& style) {
  if (style.layout == LogStyle::Layout::nccl1)
    return "#      bytes             N    type      op     time  algbw  busbw      res     time  algbw  busbw      "
           "res\n";
  const bool root = style.layout == LogStyle::Layout::root;
  const std::string half = root ? "    time   algbw   busbw #wrong" : "    time   algbw   busbw  error";
  std::string text = "#       size         count      type";
  if (root || style.redop != "none") text += "   redop";
  if (root) text += "    root";
  return text + half + half +
         "\n#        (B)    (elements)             (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";
}

std::string head_text(const LogStyle& style) {
  std::string text;
  const bool root = style.layout == LogStyle::Layout::root;
  if (style.names_program && root) text += "# nccl-tests version 2.17.6 nccl-headers=22803 nccl-library=22803\n";
  if (style.names_program)
    text += root ? fmt::format("# Collective test starting: {}_perf\n", style.program)
                 : fmt::format("$ mpirun -np 8 ./build/{}_perf -b 1M -e 16M -f 4\n", style.program);
  text += "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 16777216 step: 4(factor) warmup iters: 5 iters: 20 "
          "validation: 1 \n"
          "#\n# Using devices\n";
  for (int rank = 0; rank < style.hosts * style.gpus_per_host; ++rank)
    text += fmt::format("#  Rank {:2} {}Pid {:6} on node-{} device {:2} [0000:{:02x}:00] Tesla V100-SXM2-16GB\n", rank,
                        root ? "Group  0 " : "", 4000 + rank, rank / style.gpus_per_host, rank % style.gpus_per_host,
                        6 + rank % style.gpus_per_host);
  return text + "#\n#                             out-of-place                       in-place          \n";
}

} // namespace

ScratchFile::ScratchFile(const std::string& name, const std::string& content) : path_(fresh_folder() / name) {
  std::ofstream(path_, std::ios::binary) << content;
}

ScratchFile::~ScratchFile() {
  std::error_code ignored;
  std::filesystem::remove_all(path_.parent_path(), ignored);
}

ImportContext on_iris() {
  ImportContext context;
  context.cluster = "iris";
  context.cluster_gpus_per_node = 4;
  return context;
}

std::string mistakes_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const UserError& error) {
    std::string lines;
    for (auto mistake : error.mistakes()) {
      mistake.where = std::filesystem::path(mistake.where).filename().string();
      lines += to_text(mistake) + "\n";
    }
    return lines;
  }
  return "";
}

Imported import_text(const std::string& kind, const std::string& text, const ImportContext& stated) {
  const ScratchFile file("run.log", text);
  return importer_of(kind).import(LogSource(file.path()), stated);
}

std::vector<CollectiveRecord> collectives_of(const Imported& imported) {
  return records_of<CollectiveRecord>({imported.measurements});
}

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

MeasurementFile read_back(const Imported& imported) {
  const std::string written = to_json_lines(imported.measurements);
  const ScratchFile file("imported.jsonl", written);
  auto read = read_measurements(file.path());
  CHECK(to_json_lines(read) == written);
  CHECK(read.records.size() == imported.measurements.records.size());
  return read;
}

double log_time_us(double size_bytes, bool in_place) {
  return (in_place ? 10 : 20) + size_bytes / 1e4;
}

std::string make_log(const LogStyle& style) {
  std::string text = head_text(style) + header_text(style);
  for (const double size : style.sizes) text += row_text(style, size) + "\n";
  if (style.closing)
    text += fmt::format("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {:g} \n#\n", mean_busbw_GBps(style));
  if (style.prefix.empty()) return text;
  std::string prefixed;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    prefixed += style.prefix + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return prefixed;
}

} // namespace ddlsim::test
