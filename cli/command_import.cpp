#include "cli/command.hpp"
#include "import/importers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/formats/known_spelling.hpp"
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

namespace {

/// Replaces names given by `--set` with our spelling of them: a model, a precision, and the network of the log's
/// library.
void spell_given(std::map<std::string, std::string>& given, const std::string& kind, const DataFolder& data) {
  const auto put = [&](const char* key, const auto& meant_by) {
    const auto one = given.find(key);
    if (one == given.end()) return;
    if (const std::string meant = meant_by(one->second); !meant.empty()) one->second = meant;
  };
  std::vector<std::string> uses = transport_names();
  if (kind == "mpi-benchmarks") uses = {"mpi-ib", "mpi-tcp"};
  put("transport", [&](const std::string& typed) { return transport_meant(typed, uses); });
  put("model", [&](const std::string& typed) { return model_meant(typed, list_models(data)); });
  put("precision", [](const std::string& typed) { return to_text(value_meant<Precision>(typed)); });
}

} // namespace

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
  if (is_path(stated.gpu)) {
    const auto file = std::filesystem::absolute(stated.gpu).lexically_normal();
    data = with_own_gpu(data, file);
    stated.gpu = file.stem().string();
  }
  if (is_path(stated.cluster)) {
    const auto folder = own_cluster_folder(stated.cluster);
    data = with_own_cluster(data, folder);
    stated.cluster = folder.filename().string();
  } else if (auto spelt = spelt_like(stated.cluster, list_clusters(data)); !spelt.empty()) {
    stated.cluster = std::move(spelt);
  }
  spell_given(stated.given, known.kind, data);
  auto context = with_shipped_names(stated, data);
  context.table = known.layers.stem().string();
  const auto imported = importer_of(known.kind).import(std::move(source), context);
  for (const auto& note : imported.notes) narrate(line, note);
  for (const auto& note : notes_on_gpu(context, imported)) narrate(line, note);
  narrate(line, fmt::format("{} records were read", imported.measurements.records.size()));
  if (imported.model) write_file(known.layers, checked_table(*imported.model, known.layers.string()));
  if (!imported.measurements.records.empty()) emit(line, to_json_lines(imported.measurements));
  return 0;
}

} // namespace ddlsim
