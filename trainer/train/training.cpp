#include "trainer/train/training.hpp"

#include "trainer/compute/network_compute.hpp"
#include "trainer/compute/replay_compute.hpp"
#include "trainer/describe/layer_table.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/records/disturbance.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/run_error.hpp"
#include "trainer/synchronisation/parameter_server.hpp"
#include "trainer/train/flat_model.hpp"
#include "trainer/train/job.hpp"
#include "trainer/train/training_step.hpp"
#include "trainer/train/worker_side.hpp"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace ddltrain {
namespace {

/// The data of one rank while it trains or serves.
struct Run {
  const Job& job;
  const TrainOptions& options;
  const Device& device;
  LinkMaker make_link;
  std::shared_ptr<Network> network;
  std::unique_ptr<ComputeSource> compute;
  std::vector<float> start; ///< parameters before the first step, flat, in the order of creation
  std::size_t steps_per_epoch = 0;
  std::size_t steps = 0; ///< steps of the whole run
  ServerPlan plan;
  std::unique_ptr<MpiCommunicator> meeting; ///< communicator of workers and servers
  LossScale loss_scale;
};

std::unique_ptr<ComputeSource> make_compute(const TrainOptions& options, const Device& device,
                                            const std::shared_ptr<Network>& network) {
  if (options.replay.empty()) return std::make_unique<NetworkCompute>(network, device, options.precision);
  Profile profile = read_profile(options.replay, options.model, static_cast<double>(options.batch_per_worker));
  return std::make_unique<ReplayCompute>(describe(*network), std::move(profile), options.time_scale);
}

/// Summed gradients are divided by the number of workers. An asynchronous server applies each push in full, as
/// TensorFlow and MXNet do.
SgdOptions sgd_of(const Run& run) {
  const TrainOptions& options = run.options;
  SgdOptions sgd = options.sgd;
  sgd.gradient_share = agrees(options.strategy) ? 1.0 / run.job.workers : 1.0;
  const auto steps = static_cast<double>(run.steps_per_epoch);
  sgd.schedule = {options.schedule.warm_up * steps, 1.0 / run.job.workers, options.schedule.every * steps,
                  options.schedule.factor};
  return sgd;
}

/// steps_per_epoch: the number of a worker; 0 on a dedicated server, which receives it here. All ranks must call it.
void agree_on_steps(Run& run, std::size_t steps_per_epoch) {
  std::vector<double> most = {static_cast<double>(steps_per_epoch)};
  run.job.world->all_reduce_largest(most);
  run.steps_per_epoch = static_cast<std::size_t>(most[0]);
  run.steps = run.options.epochs * run.steps_per_epoch;
  if (run.options.most_steps != 0) run.steps = std::min(run.options.most_steps, run.steps);
}

void make_plan(Run& run) {
  const TrainStrategy& strategy = run.options.strategy;
  run.meeting = run.job.world->duplicate();
  if (strategy.exchange != Exchange::servers) return;
  run.plan.counts = element_counts(run.compute->parameters());
  run.plan.shards = place_shards(run.plan.counts, strategy.servers, strategy.sharding);
  run.plan.server_ranks = server_ranks(run.job, strategy);
  run.plan.workers = run.job.workers;
  run.plan.asynchronous = strategy.asynchronous;
  run.plan.steps = run.steps;
  run.plan.sgd = sgd_of(run);
}

/// Returns the server of this rank, if it has one.
std::unique_ptr<ParameterServer> own_server(const Run& run) {
  const auto& ranks = run.plan.server_ranks;
  const auto own = std::find(ranks.begin(), ranks.end(), run.job.world->rank());
  if (own == ranks.end()) return nullptr;
  return std::make_unique<ParameterServer>(*run.meeting, run.plan, static_cast<int>(own - ranks.begin()), run.start);
}

/// Runs the steps of one worker.
class Worker {
public:
  Worker(Run& run, SampleSource& samples, FlatModel& model, Synchroniser& synchroniser)
      : run_(run), samples_(samples), step_(*run.compute, model, synchroniser, run.loss_scale),
        clock_(*run.device.marks, queued_steps_on(run.options.device, run.options.queued_steps)),
        agrees_(agrees(run.options.strategy)) {}

  std::vector<double> run(std::size_t steps, const std::function<void(const EpochReport&)>& on_epoch) {
    const std::size_t per_epoch = samples_.steps_per_epoch();
    for (std::size_t first = 0; first < steps; first += per_epoch) {
      EpochReport report;
      report.epoch = first / per_epoch + 1;
      report.steps = std::min(steps, first + per_epoch);
      double loss = 0;
      for (std::size_t step = first; step < report.steps; ++step) {
        clock_.begin_step();
        step_.run(samples_.batch(step), listener_);
        if (clock_.end_step() || step + 1 == report.steps) loss += settle();
      }
      end_epoch(report, loss / static_cast<double>(report.steps - first), first, on_epoch);
    }
    return step_s_;
  }

  const QueueCount& queue() const { return clock_.count(); }

private:
  /// Waits for the steps given so far; returns the sum of their losses.
  double settle() {
    for (const double time_s : clock_.settle()) step_s_.push_back(time_s / run_.compute->time_scale());
    if (run_.job.watchdog != nullptr) run_.job.watchdog->beat();
    const double loss = run_.compute->take_loss();
    if (run_.options.nan_is_fatal && !std::isfinite(loss)) {
      throw RunError(fmt::format("the loss of step {} is {} on {}; a lower --lr usually helps (it is {}), and "
                                 "--ignore-loss times all the same",
                                 step_s_.size(), loss, run_.job.name, run_.options.sgd.learning_rate));
    }
    return loss;
  }

  void end_epoch(EpochReport& report, double loss, std::size_t first,
                 const std::function<void(const EpochReport&)>& on_epoch) {
    if (run_.job.watchdog != nullptr) run_.job.watchdog->rest(); // the test may take long
    MpiCommunicator& workers = *run_.job.group;
    auto mean_loss = static_cast<float>(loss) / static_cast<float>(agrees_ ? workers.size() : 1);
    if (agrees_) workers.all_reduce(&mean_loss, 1);
    if (workers.rank() == 0) {
      double seconds = 0;
      for (std::size_t step = first; step < report.steps; ++step) seconds += step_s_[step];
      const double samples = static_cast<double>((report.steps - first) * run_.options.batch_per_worker);
      report.samples_per_s = samples * workers.size() / seconds;
      report.loss = mean_loss;
      report.accuracy = samples_.accuracy(*run_.network);
      on_epoch(report);
    }
    if (agrees_) workers.barrier(); // no worker may time its next step while rank 0 runs the test
  }

  Run& run_;
  SampleSource& samples_;
  TrainingStep step_;
  StepClock clock_;
  StepListener listener_ = {[this](StepMoment moment) {
                              if (moment == StepMoment::backward_done) clock_.end_backward();
                            },
                            {}};
  bool agrees_;
  std::vector<double> step_s_;
};

/// Returns the servers' parameters, after all steps, on every rank.
std::vector<float> collect(const Run& run, const ParameterServer* server) {
  std::vector<float> parameters(run.start.size());
  if (server != nullptr) server->copy_to(parameters);
  const std::vector<std::size_t> starts = starts_of(run.plan.counts);
  for (const Shard& shard : run.plan.shards) {
    float* const part = parameters.data() + starts[shard.tensor] + shard.first;
    run.job.world->broadcast(part, shard.count, run.plan.server_ranks[static_cast<std::size_t>(shard.server)]);
  }
  return parameters;
}

/// Joins the times of the workers.
std::vector<double> join_times(const Run& run, std::vector<double> step_s) {
  MpiCommunicator& workers = *run.job.group;
  if (!run.options.strategy.asynchronous) {
    workers.all_reduce_largest(step_s);
    return step_s;
  }
  std::vector<float> sums(step_s.begin(), step_s.end());
  workers.all_reduce(sums.data(), sums.size());
  for (std::size_t i = 0; i < step_s.size(); ++i) step_s[i] = static_cast<double>(sums[i]) / workers.size();
  return step_s;
}

double largest_over_ranks(MpiCommunicator& ranks, double value) {
  std::vector<double> values = {value};
  ranks.all_reduce_largest(values);
  return values[0];
}

TrainResult work(Run& run, const std::function<void(const EpochReport&)>& on_epoch) {
  const Job& job = run.job;
  std::vector<std::int64_t> ready = probe_ready_order(*run.network, *run.compute, run.device);
  job.group->broadcast(ready, 0);
  FlatModel model(run.compute->parameters(), ready);
  model.set_parameters(run.start);
  // seeds dropout and random batches
  at::manual_seed(run.options.seed + 1 + static_cast<std::uint64_t>(job.group->rank()));
  const auto samples = sample_source(run.options, run.device, *run.network, job.group->rank(), job.workers);
  agree_on_steps(run, samples->steps_per_epoch());
  make_plan(run);
  const std::unique_ptr<ParameterServer> server = own_server(run);
  std::thread serving;
  if (server) {
    serving = std::thread([&] {
      try {
        server->serve();
      } catch (...) {
        job.fail(std::current_exception());
      }
    });
  }
  const bool broadcasts_buffers = run.options.strategy.broadcast_buffers && job.workers > 1;
  TrainResult result;
  try {
    const auto synchroniser = make_synchroniser(
        {job, run.options, sgd_of(run), model, *run.meeting, run.plan, run.device, run.make_link(model.layout().size()),
         run.loss_scale, broadcasts_buffers ? flatten_buffers(*run.network) : at::empty({0}, at::kFloat)});
    const CpuUse before = cpu_use();
    job.group->barrier();
    Worker worker(run, *samples, model, *synchroniser);
    result.step_s = worker.run(run.steps, on_epoch);
    result.queue = worker.queue();
    result.cpu_s = cpu_use().own_s - before.own_s;
  } catch (...) {
    job.fail(std::current_exception()); // ends the job before threads are joined that wait for messages
  }
  if (serving.joinable()) serving.join();
  result.parameters = model.parameters();
  result.buffers = buffer_values(*run.network);
  if (!run.plan.shards.empty()) {
    std::vector<float> served = collect(run, server.get());
    if (run.plan.asynchronous) result.parameters = std::move(served); // workers hold the parameters of their last pull
  }
  result.mean_staleness = server ? server->mean_staleness() : 0;
  result.step_s = join_times(run, result.step_s);
  return result;
}

TrainResult serve(Run& run) {
  agree_on_steps(run, 0);
  make_plan(run);
  const std::unique_ptr<ParameterServer> server = own_server(run);
  TrainResult result;
  const CpuUse before = cpu_use();
  server->serve();
  result.cpu_s = cpu_use().own_s - before.own_s;
  result.parameters = collect(run, server.get());
  result.mean_staleness = server->mean_staleness();
  return result;
}

} // namespace

TrainResult train(const Job& job, const TrainOptions& options, const Device& device,
                  const std::function<void(const EpochReport&)>& on_epoch, const LinkMaker& make_own_link) {
  const LinkMaker usual = [&](std::size_t tensors) { return make_link(device, options, tensors); };
  at::manual_seed(options.seed);
  Run run{job,
          options,
          device,
          make_own_link ? make_own_link : usual,
          find_model(options.model).make(),
          nullptr,
          {},
          0,
          0,
          {},
          nullptr,
          LossScale(options.precision == ddlsim::Precision::amp)};
  move_to(device, *run.network); // must come before compute, whose hooks depend on the tensors' device
  run.compute = make_compute(options, device, run.network);
  run.start = flat_values(run.compute->parameters());
  job.world->broadcast(run.start.data(), run.start.size(), 0);
  TrainResult result = job.is_worker() ? work(run, on_epoch) : serve(run);
  result.mean_staleness = largest_over_ranks(*job.world, result.mean_staleness);
  if (options.strategy.exchange != Exchange::none) check_agreement(*job.world, result.parameters);
  return result;
}

} // namespace ddltrain
