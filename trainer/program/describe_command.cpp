#include "trainer/program/describe_command.hpp"

#include "trainer/describe/table_json.hpp"
#include "trainer/files/error.hpp"
#include "trainer/files/output_file.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace ddltrain {
namespace {

void print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw RunError("cannot write to standard output");
  }
}

void narrate(const CatalogueEntry& model, const LayerTable& table) {
  std::size_t tensors = 0;
  for (const LayerRow& row : table) {
    tensors += row.tensors.size();
  }
  fmt::print(stderr, "{}: {} layers, {} parameters in {} tensors, {:.3f} GFLOP forward a sample\n", model.name,
             table.size(), parameter_count(table), tensors, static_cast<double>(forward_flop_per_sample(table)) / 1e9);
}

} // namespace

void describe_command(const std::string& model, const std::string& output_file) {
  const CatalogueEntry& entry = find_model(model);
  const LayerTable table = describe(*entry.make());
  narrate(entry, table);
  const std::string text = table_json(entry, table);
  if (output_file.empty()) {
    print(text);
  } else {
    write_output_file(output_file, text);
  }
}

void list_command() {
  std::string text;
  for (const CatalogueEntry& entry : catalogue()) {
    text += fmt::format("{:<20} {}\n", entry.name, entry.title);
  }
  print(text);
}

} // namespace ddltrain
