#include "cli/commands.hpp"
#include "import/importers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/own_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {

ImportContext with_shipped_names(ImportContext context, const DataFolder& data) {
  context.catalogue = load_gpus(data);
  context.known_models = list_models(data);
  context.known_clusters = list_clusters(data);
  context.find_cluster = [data](const std::string& name) -> std::optional<Cluster> {
    const auto clusters = list_clusters(data);
    if (std::find(clusters.begin(), clusters.end(), name) == clusters.end()) return std::nullopt;
    return load_cluster(data, name);
  };
  return context;
}

int run_import(const ImportCommand& command, const CommandLine& line) {
  auto known = command;
  if (makes_model(known.kind)) return run_model_import(known, line);
  LogSource source(known.file);
  if (known.kind.empty()) {
    known.kind = guess_kind(source);
    if (known.kind.empty())
      throw UserError(known.file.string(), "",
                      "this is no kind of file that is known by its content; name its kind before "
                      "it (`ddlsim import --help`)");
    narrate(line, fmt::format("{} looks like {}", known.file.string(), known.kind));
  }
  if (!known.layers.empty() && known.kind != "kineto")
    throw UserError("--layers", "",
                    fmt::format("a {} has no layers; only a trace of the PyTorch profiler does", known.kind));
  if (makes_model(known.kind)) return run_model_import(known, line);
  DataFolder data{line.data_folder};
  auto stated = command.context;
  if (is_path(stated.cluster)) {
    const auto folder = own_cluster_folder(stated.cluster);
    data = with_own_cluster(data, folder);
    stated.cluster = folder.filename().string();
  }
  auto context = with_shipped_names(stated, data);
  context.table = known.layers.stem().string();
  const auto imported = importer_of(known.kind).import(std::move(source), context);
  for (const auto& note : imported.notes) narrate(line, note);
  narrate(line, fmt::format("{} records were read", imported.measurements.records.size()));
  if (imported.model) write_file(known.layers, checked_table(*imported.model, known.layers.string()));
  if (!imported.measurements.records.empty()) emit(line, to_json_lines(imported.measurements));
  return 0;
}

} // namespace ddlsim
