#include "trainer/synchronisation/server_synchroniser.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/names.hpp"
#include "sim/parameter_server/placement.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/work_thread.hpp"

#include <cmath>
#include <optional>

namespace ddltrain {
namespace {

constexpr double each_parameter_bytes = sizeof(float);
constexpr double mxnet_split_bytes = 1'000'000 * each_parameter_bytes; ///< MXNET_KVSTORE_BIGARRAY_BOUND elements

/// Returns the element that contains the given byte of a tensor. The sum of P P-ths may fall short of the whole by
/// rounding, far less than a thousandth of an element.
std::size_t element_at(double bytes) {
  return static_cast<std::size_t>(std::floor(bytes / each_parameter_bytes + 1e-3));
}

ddlsim::Sharding known_rule(const std::string& name) {
  const auto rule = ddlsim::value_named<ddlsim::Sharding>(name);
  if (rule && *rule != ddlsim::Sharding::unknown) return *rule;
  const auto& names = ddlsim::known_names_of<ddlsim::Sharding>();
  throw ddlsim::UserError("", "", ddlsim::unknown_name_text("sharding", name, names, names));
}

/// A shard from the view of one worker.
struct WorkerShard {
  std::size_t shard = 0;
  int server_rank = 0;
  std::size_t first = 0; ///< index of its first element in the worker's flat arrays
  std::size_t count = 0;
};

/// Indexed by the position in the layout.
std::vector<std::vector<WorkerShard>> shards_by_position(const GradientLayout& layout, const ServerPlan& plan) {
  std::vector<std::size_t> position_of(layout.size());
  for (std::size_t position = 0; position < layout.size(); ++position) {
    position_of.at(layout[position].tensor) = position;
  }
  std::vector<std::vector<WorkerShard>> shards(layout.size());
  for (std::size_t i = 0; i < plan.shards.size(); ++i) {
    const Shard& shard = plan.shards[i];
    const std::size_t position = position_of[shard.tensor];
    const int rank = plan.server_ranks.at(static_cast<std::size_t>(shard.server));
    shards[position].push_back({i, rank, layout[position].first + shard.first, shard.count});
  }
  return shards;
}

class ServerSynchroniser final : public Synchroniser {
public:
  ServerSynchroniser(const GradientLayout& layout, const ModelMemory& memory, Grouping grouping, bool overlapped,
                     MpiCommunicator& meeting, const ServerPlan& plan)
      : memory_(memory), meeting_(meeting), shards_(shards_by_position(layout, plan)),
        readiness_(group_tensors(layout, grouping), layout.size()) {
    if (overlapped) thread_.emplace(meeting);
  }

  void gradient_ready(std::size_t position) override {
    const auto complete = readiness_.ready(position);
    for (std::size_t group = complete.first; thread_ && group < complete.last; ++group) {
      thread_->add([this, group](std::vector<Transfer>& transfers) { start(group, transfers); });
    }
  }

  void finish() override {
    if (thread_) {
      thread_->drain();
    } else {
      std::vector<Transfer> transfers;
      for (std::size_t group = 0; group < readiness_.groups().size(); ++group) start(group, transfers);
      meeting_.wait(transfers);
    }
    readiness_.start_step();
  }

private:
  void start(std::size_t index, std::vector<Transfer>& transfers) {
    const Group& group = readiness_.groups()[index];
    for (std::size_t position = group.first; position < group.first + group.count; ++position) {
      for (const WorkerShard& shard : shards_[position]) {
        transfers.push_back(meeting_.start_receive(memory_.parameters + shard.first, shard.count, shard.server_rank,
                                                   pull_tag(shard.shard)));
        transfers.push_back(meeting_.start_send(memory_.gradients + shard.first, shard.count, shard.server_rank,
                                                push_tag(shard.shard)));
      }
    }
  }

  ModelMemory memory_;
  MpiCommunicator& meeting_;
  std::vector<std::vector<WorkerShard>> shards_;
  GroupReadiness readiness_;
  std::optional<TransferThread> thread_; // the last member, since the thread uses the others
};

} // namespace

std::vector<Shard> place_shards(const std::vector<std::size_t>& counts, int servers, const std::string& rule) {
  std::vector<double> tensor_bytes;
  for (const std::size_t count : counts) tensor_bytes.push_back(each_parameter_bytes * static_cast<double>(count));
  std::vector<double> placed_bytes(counts.size());
  std::vector<Shard> shards;
  for (const ddlsim::Shard& part : ddlsim::place_tensors(tensor_bytes, servers, known_rule(rule), mxnet_split_bytes)) {
    const auto tensor = static_cast<std::size_t>(part.tensor);
    const std::size_t first = element_at(placed_bytes[tensor]);
    const std::size_t end = element_at(placed_bytes[tensor] += part.size_bytes);
    if (end > first) shards.push_back({tensor, part.server, first, end - first});
  }
  return shards;
}

std::unique_ptr<Synchroniser> server_synchroniser(const GradientLayout& layout, const ModelMemory& memory,
                                                  Grouping grouping, bool overlapped, MpiCommunicator& meeting,
                                                  const ServerPlan& plan) {
  return std::make_unique<ServerSynchroniser>(layout, memory, grouping, overlapped, meeting, plan);
}

} // namespace ddltrain
