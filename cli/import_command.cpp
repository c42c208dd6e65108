#include "calibrate/import/importers.hpp"
#include "cli/commands.hpp"
#include "sim/formats/own_files.hpp"

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
  if (makes_model(command.kind)) return run_model_import(command, line);
  DataFolder data{line.data_folder};
  auto stated = command.context;
  if (is_path(stated.cluster)) {
    const auto folder = own_cluster_folder(stated.cluster);
    data = with_own_cluster(data, folder);
    stated.cluster = folder.filename().string();
  }
  const auto context = with_shipped_names(stated, data);
  const auto imported = importer_of(command.kind).import(command.file, context);
  for (const auto& note : imported.notes) narrate(line, note);
  emit(line, to_json_lines(imported.measurements));
  return 0;
}

} // namespace ddlsim
