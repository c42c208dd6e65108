#pragma once
// One GPU's time at a batch that was not measured, near batches that were: no jump where other evidence takes over.

#include <vector>

namespace ddlsim {

/// What is answered at a batch that was measured, carried to the batch asked for by the shape of its own curve.
struct NearBatch {
  double batch = 0;
  double time_s = 0;
};

struct JoinedTime {
  double time_s = 0;
  double near_s = 0;    ///< what the near batches alone say
  double deviation = 0; ///< standard deviation of ln time between the two, each with its share
};

/// Whether records at one batch have a say at the other: within a factor 1.5, as far as a line holds beyond its batches.
bool is_near(double measured_batch, double batch);

/// The mean in ln time of `time_s`, which has the weight 1, and of the near batches, each with s / (1 - s), s falling
/// from 1 at its own batch to 0 where it is no longer near (straight in ln batch): at a measured batch its record alone
/// counts, beside it hardly anything else, and far from all of them `time_s`.
JoinedTime join_near_batches(double time_s, double batch, const std::vector<NearBatch>& near);

} // namespace ddlsim
