#include "sim/formats/expert_fields.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <string>

namespace ddlsim {
namespace {

constexpr long most_expert_degree = 10'000;
constexpr double most_imbalance = 1000; ///< a larger value is a typing error

} // namespace

std::vector<Field<Strategy>> expert_fields(const ValueType<int>& degree) {
  const auto of = [](auto member) { return within(&Strategy::parallel, member); };
  const std::vector<std::string> model_parallel{to_text(StrategyName::model_parallel)};
  return {
      optional("expert", of(&ModelParallelOptions::expert), degree,
               "ranks of data parallelism that a block's experts are dealt out over; 1 if not given")
          .only_where("name", model_parallel),
      optional(
          "expert_imbalance", of(&ModelParallelOptions::expert_imbalance), number_type(1, most_imbalance),
          "tokens of the busiest of these ranks over their mean, 1 where routing is forced to be even; drawn if not "
          "given")
          .only_where("name", model_parallel),
      optional("expert_tensor", of(&ModelParallelOptions::expert_tensor), whole_type(1, most_expert_degree),
               "GPUs that compute each expert together: as many as \"tensor\", or 1, where each GPU of a tensor group "
               "has experts of its own; as many as \"tensor\" if not given")
          .only_where("name", model_parallel),
      optional("expert_exchange", of(&ModelParallelOptions::expert_exchange), name_of_type<ExpertExchange>(),
               "a copy of a token for each of its experts, or for each GPU that has some and between nodes for each "
               "node, as DeepEP and HybridEP send; all-to-all if not given")
          .only_where("name", model_parallel),
      optional("expert_overlap", of(&ModelParallelOptions::expert_overlap), boolean_type(),
               "tokens travel beside compute; false if not given")
          .only_where("name", model_parallel)};
}

void check_experts(const JsonNode& node, const ModelParallelOptions& parallel) {
  for (const char* key : {"expert_imbalance", "expert_tensor", "expert_exchange", "expert_overlap"})
    if (parallel.expert == 1 && node.has(key))
      node.mistake_at(key, "only experts on several ranks have it; leave it out, or give an \"expert\" of 2 or more");
  const bool is_either = parallel.expert_tensor <= 1 || parallel.expert_tensor == parallel.tensor;
  if (!is_either && parallel.tensor != ModelParallelOptions::best)
    node.mistake_at("expert_tensor", fmt::format("{} found beside a \"tensor\" of {}; give 1, or leave it out",
                                                 parallel.expert_tensor, parallel.tensor));
}

} // namespace ddlsim
