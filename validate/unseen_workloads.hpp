#pragma once
// Splits of workloads that a known site never ran: another batch of a model that it knows, or another model.

#include "validate/split.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns the splits new-batch and new-model. Each family, and each batch, is hidden in one of five splits of a name,
/// together with others of the site.
/// new-batch hides all training records of a model family at one batch, under one preset: those of one GPU too, and
/// those of every cluster of the site. The targets are all trusted points of several GPUs for which the same cluster
/// shows the same model on the same GPU, under the same preset and precision, at another batch.
/// new-model hides all training records of a model family at a site. The targets are the same points, where the cluster
/// shows another model on several GPUs; for points across nodes it must show one across nodes.
/// `site_of` gives sites by cluster. A cluster that is not listed is a site of its own.
std::vector<Split> unseen_workload_splits(const std::vector<MeasurementFile>& files, const std::vector<Series>& series,
                                          const std::map<std::string, std::string>& site_of);

} // namespace ddlsim
