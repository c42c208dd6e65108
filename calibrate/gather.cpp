#include "calibrate/gather.hpp"

#include "calibrate/collective_series.hpp"
#include "calibrate/contradiction.hpp"
#include "calibrate/server_series.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// Whose records of that kind count, the cluster itself first.
std::vector<std::string> lenders(const Cluster& cluster, const std::string& kind) {
  std::vector<std::string> names{cluster.name};
  for (const auto& borrow : cluster.borrows)
    if (std::count(borrow.kinds.begin(), borrow.kinds.end(), kind) > 0) names.push_back(borrow.cluster);
  return names;
}

void add_steps(const Shelf& shelf, const std::string& from, const std::string& cluster,
               const std::vector<Prior>& priors, const std::vector<Series>& series, Gathered& gathered) {
  for (const auto& one : series) {
    if (one.cluster != from) continue;
    auto evidence = series_evidence(shelf, priors, one);
    if (!evidence) {
      gathered.set_aside.push_back({one.id, "the simulator cannot time it: no layer table of the model, or a GPU or "
                                            "precision that the catalogue does not have"});
      continue;
    }
    evidence->borrowed = from != cluster;
    if (!evidence->borrowed || !evidence->points.empty()) gathered.evidence.push_back(std::move(*evidence));
  }
}

/// What that cluster's records of one kind say of transfers alone.
std::vector<SeriesEvidence> bare_series(const Shelf& shelf, const std::vector<Prior>& priors, const Cluster& of,
                                        const std::string& kind, const std::vector<MeasurementFile>& files) {
  std::vector<MeasurementFile> theirs;
  for (const auto& file : files) {
    if (file.context.cluster != of.name) continue;
    theirs.push_back({file.file, file.context, {}});
    std::copy_if(file.records.begin(), file.records.end(), std::back_inserter(theirs.back().records),
                 [&](const Record& record) { return kind_of(record) == kind; });
  }
  return kind == "server" ? server_series(shelf, priors, of, theirs) : collective_series(shelf, priors, of, theirs);
}

} // namespace

Gathered gather(const Shelf& shelf, const std::string& cluster, const std::vector<Series>& series,
                const std::vector<MeasurementFile>& files) {
  const auto& own = shelf.clusters.at(cluster);
  const auto priors = priors_without(shelf.priors, cluster);
  Gathered gathered;
  for (const auto& from : lenders(own, "step")) add_steps(shelf, from, cluster, priors, series, gathered);
  const auto contradictions = same_on_two_fabrics(series, shelf);
  for (auto& one : gathered.evidence) {
    const auto told = contradictions.find(one.id);
    if (told == contradictions.end()) continue;
    one.set_aside = told->second;
    gathered.set_aside.push_back({one.id, told->second});
  }
  for (const char* kind : {"collective", "point_to_point", "server"})
    for (const auto& from : lenders(own, kind))
      for (auto& one : bare_series(shelf, priors, shelf.clusters.at(from), kind, files)) {
        one.borrowed = from != cluster;
        gathered.evidence.push_back(std::move(one));
      }
  return gathered;
}

} // namespace ddlsim
