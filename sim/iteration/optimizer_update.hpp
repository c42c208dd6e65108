#pragma once
// What the optimizer that a question names adds to an iteration.

#include "sim/iteration/step.hpp"

namespace ddlsim {

struct UpdateSeconds {
  double compute_s = 0;
  double gather_s = 0; ///< of parts of matrices from other ranks, which Muon needs whole
};

/// Returns the time of the setup's optimizer beyond that of the usual one, which measured times have; 0 where the
/// question names none, and where servers or hosts update. The update comes after all of backward, so that nothing hides
/// it.
///   a rank updates   its stage's parameters over the tensor degree; where ranks share the update, its part of those
///   bytes            touched_bytes() at 0.8 of the memory's rate, the share of the shipped kernel rates
///   Muon's products  muon_flop() in bf16 at 0.74 of the peak. A rank has whole matrices, its share of all but at least
///                    one; the ranks of a tensor group all compute the same ones
///   Muon's gathers   with fsdp every matrix goes to one rank and its direction back, two all-to-alls of 2 bytes a
///                    parameter (Liu et al., arXiv:2502.16982, section 2.3). Other shares are stretches of whole
///                    matrices, and a rank gathers one that lies across the border. Tensor groups gather theirs.
UpdateSeconds added_update(const StepSetup& setup, const Parameters& sample);

/// Returns the setup of one GPU to which efficiency is relative. Where ranks share the update, it has none.
StepSetup without_shared_update(StepSetup setup);

} // namespace ddlsim
