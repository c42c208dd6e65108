#include "plan/goodput.hpp"

#include <algorithm>
#include <cmath>

namespace ddlsim {

double best_checkpoint_interval_s(const FailingJob& job) {
  if (job.mtbf_s <= 0) return 0;
  if (job.checkpoint_s >= 2 * job.mtbf_s) return job.mtbf_s;
  const double ratio = job.checkpoint_s / (2 * job.mtbf_s);
  return std::sqrt(2 * job.checkpoint_s * job.mtbf_s) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - job.checkpoint_s;
}

double expected_time_s(const FailingJob& job, double work_s, double interval_s) {
  const double segment = (interval_s + job.checkpoint_s) / job.mtbf_s;
  return job.mtbf_s * std::exp(job.restart_s / job.mtbf_s) * std::expm1(segment) * work_s / interval_s;
}

double share_with_enough_nodes(const FailingJob& job) {
  if (job.mtbf_s <= 0) return 1;
  const double load = job.repair_s / job.mtbf_s;
  double waiting = 1; // without servers every call is lost
  for (int servers = 1; servers <= job.spare_nodes + 1 && waiting > 0; ++servers)
    waiting = load * waiting / (servers + load * waiting);
  return 1 - waiting;
}

double expected_time_s(const FailingJob& job, double work_s) {
  if (job.mtbf_s <= 0) return work_s;
  const double unbroken_s = expected_time_s(job, work_s, std::min(work_s, best_checkpoint_interval_s(job)));
  return unbroken_s / share_with_enough_nodes(job);
}

} // namespace ddlsim
