#pragma once
// The parts of a step's time, and how much each of them decides it.

namespace ddlsim {

/// One figure for each part of a step.
struct StepParts {
  double products_s = 0; ///< matrix products of the layers, with conversions of their inputs
  double attention_s = 0;
  double memory_s = 0;    ///< element-wise passes over memory and launches of their kernels
  double traffic_s = 0;   ///< collectives of the layers that compute waits for: tensor group, exposed sharding
  double host_s = 0;      ///< time of the host to launch the kernels of the layers, in parallel with all the above
  double head_s = 0;      ///< logits, loss and word table
  double optimizer_s = 0; ///< update of the parameters
};

/// d ln(total) / d ln(part); no units. They add up to 1.
struct StepShares {
  double products = 0;
  double attention = 0;
  double memory = 0;
  double traffic = 0;
  double host = 0;
  double head = 0;
  double optimizer = 0;
};

struct TransformerStep {
  double total_s = 0;
  StepParts parts;   ///< of the whole step; more than total_s where host and GPU work at the same time
  StepShares shares; ///< of total_s
};

} // namespace ddlsim
