#include "trainer/synchronisation/parameter_server.hpp"

#include <algorithm>
#include <numeric>

namespace ddltrain {
namespace {

std::size_t elements_on(const ServerPlan& plan, int server) {
  std::size_t count = 0;
  for (const Shard& shard : plan.shards) count += shard.server == server ? shard.count : 0;
  return count;
}

} // namespace

std::vector<std::size_t> starts_of(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), std::size_t{0});
  return starts;
}

const float* sum_pushes(std::vector<std::vector<float>>& pushes, std::size_t first, std::size_t count) {
  float* const sum = pushes[0].data() + first;
  for (std::size_t worker = 1; worker < pushes.size(); ++worker) {
    const float* const gradient = pushes[worker].data() + first;
    for (std::size_t i = 0; i < count; ++i) sum[i] += gradient[i];
  }
  return sum;
}

ParameterServer::ParameterServer(MpiCommunicator& meeting, const ServerPlan& plan, int server,
                                 const std::vector<float>& parameters)
    : meeting_(meeting), plan_(plan), sgd_(elements_on(plan, server), plan.sgd) {
  const std::vector<std::size_t> starts = starts_of(plan.counts);
  for (std::size_t i = 0; i < plan.shards.size(); ++i) {
    const Shard& shard = plan.shards[i];
    if (shard.server != server) continue;
    served_.push_back({i, parameters_.size(), shard.count});
    const auto first = parameters.begin() + static_cast<std::ptrdiff_t>(starts[shard.tensor] + shard.first);
    parameters_.insert(parameters_.end(), first, first + static_cast<std::ptrdiff_t>(shard.count));
  }
  const auto workers = static_cast<std::size_t>(plan.workers);
  inbox_.assign(workers, std::vector<float>(parameters_.size()));
  receives_.resize(workers * served_.size());
  seen_.resize(receives_.size());
  if (!plan.asynchronous) return;
  outbox_ = inbox_;
  answers_.resize(receives_.size());
}

void ParameterServer::serve() {
  if (served_.empty()) return;
  if (plan_.asynchronous) {
    serve_asynchronous();
    return;
  }
  for (std::size_t step = 0; step < plan_.steps; ++step) serve_synchronous_step(step);
}

Transfer ParameterServer::receive(std::size_t worker, const ServedShard& served) {
  return meeting_.start_receive(inbox_[worker].data() + served.first, served.count, static_cast<int>(worker),
                                push_tag(served.shard));
}

void ParameterServer::serve_synchronous_step(std::size_t step) {
  for (std::size_t slot = 0; slot < receives_.size(); ++slot) {
    receives_[slot] = receive(slot / served_.size(), served_[slot % served_.size()]);
  }
  std::vector<int> arrived(served_.size());
  for (std::size_t left = receives_.size(); left > 0;) {
    const std::vector<std::size_t> done = meeting_.wait_some(receives_);
    left -= done.size();
    for (const std::size_t slot : done) {
      const std::size_t which = slot % served_.size();
      if (++arrived[which] == plan_.workers) sum_and_update(served_[which], step);
    }
  }
  meeting_.wait(answers_); // the next step changes the memory that these messages are sent from
  answers_.clear();
}

void ParameterServer::sum_and_update(ServedShard& served, std::size_t step) {
  sgd_.update(parameters_.data() + served.first, sum_pushes(inbox_, served.first, served.count), served.first,
              served.count, step);
  for (int worker = 0; worker < plan_.workers; ++worker) {
    answers_.push_back(
        meeting_.start_send(parameters_.data() + served.first, served.count, worker, pull_tag(served.shard)));
  }
}

void ParameterServer::serve_asynchronous() {
  std::vector<std::size_t> left_of_slot(receives_.size(), plan_.steps);
  for (std::size_t slot = 0; slot < receives_.size(); ++slot) {
    receives_[slot] = receive(slot / served_.size(), served_[slot % served_.size()]);
  }
  for (std::size_t left = receives_.size() * plan_.steps; left > 0;) {
    const std::vector<std::size_t> done = meeting_.wait_some(receives_);
    left -= done.size();
    for (const std::size_t slot : done) {
      answer(slot, plan_.steps - left_of_slot[slot]);
      if (--left_of_slot[slot] > 0) receives_[slot] = receive(slot / served_.size(), served_[slot % served_.size()]);
    }
  }
  meeting_.wait(answers_);
}

/// step: the step of the worker that pushed.
void ParameterServer::answer(std::size_t slot, std::size_t step) {
  const std::size_t worker = slot / served_.size();
  ServedShard& served = served_[slot % served_.size()];
  staleness_ += static_cast<double>(served.version - seen_[slot]);
  ++pushes_;
  sgd_.update(parameters_.data() + served.first, inbox_[worker].data() + served.first, served.first, served.count,
              step);
  seen_[slot] = ++served.version;
  std::vector<Transfer> last = {answers_[slot]}; // its worker has received it, or it would not have pushed again
  meeting_.wait(last);
  // the copy is needed since pushes of other workers change the parameters meanwhile
  float* const copy = outbox_[worker].data() + served.first;
  std::copy_n(parameters_.data() + served.first, served.count, copy);
  answers_[slot] = meeting_.start_send(copy, served.count, static_cast<int>(worker), pull_tag(served.shard));
}

void ParameterServer::copy_to(std::vector<float>& parameters) const {
  const std::vector<std::size_t> starts = starts_of(plan_.counts);
  for (const ServedShard& served : served_) {
    const Shard& shard = plan_.shards[served.shard];
    std::copy_n(parameters_.data() + served.first, served.count,
                parameters.data() + starts[shard.tensor] + shard.first);
  }
}

double ParameterServer::mean_staleness() const {
  return pushes_ == 0 ? 0 : staleness_ / static_cast<double>(pushes_);
}

} // namespace ddltrain
