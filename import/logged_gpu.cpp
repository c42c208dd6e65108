#include "import/logged_gpu.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

namespace ddlsim {

void take_logged_gpu(const std::string& device, ImportContext& context, std::vector<std::string>& notes) {
  const auto logged = catalogue_gpu_name(device, context.catalogue);
  if (context.gpu.empty()) {
    context.gpu = logged;
    const auto cluster = context.find_cluster ? context.find_cluster(context.cluster) : std::nullopt;
    if (cluster && !logged.empty() && cluster->gpu != logged)
      notes.push_back(fmt::format("the log's GPUs are {}, those of cluster {} are {}", in_quotes(logged), cluster->name,
                                  cluster->gpu));
  } else if (!logged.empty() && logged != catalogue_gpu_name(context.gpu, context.catalogue)) {
    notes.push_back(fmt::format("the log's GPUs are {}, and {} was stated", in_quotes(logged), in_quotes(context.gpu)));
  }
}

} // namespace ddlsim
