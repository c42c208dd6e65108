#include "sim/base/error.hpp"
#include "validate/blind/blind.hpp"

#include <fmt/format.h>

#include <map>

namespace ddlsim {
namespace {

/// Returns a text that is equal for two records of the same measurement: what was run, at which scale, and the time to
/// six digits. Tables of collectives have so many rows of three digits that those of two GPUs meet by chance, so their
/// text names the GPU. "" for kinds that are not scored blind.
std::string identity_of(const Record& record, const std::string& gpu) {
  if (const auto* step = std::get_if<StepRecord>(&record))
    return fmt::format("step {} in {}, {} GPUs {} nodes batch {:.6g} {:.6g} s", step->model, to_text(step->precision),
                       step->gpus, step->nodes, step->batch_per_gpu, step->iteration_s);
  if (const auto* collective = std::get_if<CollectiveRecord>(&record))
    return fmt::format("{} {} ranks {} nodes {:.6g} B {:.6g} s on {}", collective->operation, collective->ranks,
                       collective->nodes, collective->size_bytes, collective->time_s, gpu);
  return "";
}

std::map<std::string, std::size_t> identities_of(const MeasurementFile& file) {
  std::map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < file.records.size(); ++i)
    if (auto identity = identity_of(file.records[i], file.context.gpu); !identity.empty())
      positions.emplace(std::move(identity), i);
  return positions;
}

} // namespace

std::vector<Mistake> find_learnt_records(const BlindQuestion& question) {
  const auto identities = identities_of(question.file);
  std::vector<Mistake> mistakes;
  for (const auto& file : question.shipped) {
    for (const auto& record : file.records) {
      const auto found = identities.find(identity_of(record, file.context.gpu));
      if (found == identities.end()) continue;
      mistakes.push_back({question.file.file.string(), "",
                          fmt::format("record {} ({}) stands in {} of cluster {} already ({}); a blind score is of "
                                      "records that nothing has learnt from, so give others",
                                      found->second + 1, found->first, file.file.filename().string(),
                                      file.context.cluster, file.context.source_title)});
      break;
    }
  }
  return mistakes;
}

} // namespace ddlsim
