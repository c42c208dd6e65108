#include "sim/formats/names.hpp"

namespace ddlsim {

// No switch has a default, so the compiler reports a missing value (-Wswitch). The text beyond the last value is "".

std::string to_text(Algorithm value) {
  switch (value) {
#define DDLSIM_ALL_REDUCE(algorithm, text)                                                                             \
  case Algorithm::algorithm:                                                                                           \
    return text;
#include "sim/formats/collectives.def"
  }
  return "";
}

std::string to_text(const CollectiveKind& collective) {
#define DDLSIM_COLLECTIVE(operation, algorithm, text)                                                                  \
  if (collective == CollectiveKind{CollectiveOperation::operation, Algorithm::algorithm}) return text;
#include "sim/formats/collectives.def"
  return "";
}

const std::vector<CollectiveKind>& every_collective() {
  static const std::vector<CollectiveKind> all{
#define DDLSIM_COLLECTIVE(operation, algorithm, text) {CollectiveOperation::operation, Algorithm::algorithm},
#include "sim/formats/collectives.def"
  };
  return all;
}

std::string to_text(StrategyName value) {
  switch (value) {
  case StrategyName::none:
    return "none";
#define DDLSIM_ALL_REDUCE(algorithm, text)                                                                             \
  case StrategyName::algorithm:                                                                                        \
    return text;
#include "sim/formats/collectives.def"
  case StrategyName::ps:
    return "ps";
  case StrategyName::ps_async:
    return "ps-async";
  case StrategyName::all_reduce:
    return "all-reduce";
  case StrategyName::automatic:
    return "auto";
  case StrategyName::zero_1:
    return "zero-1";
  case StrategyName::zero_2:
    return "zero-2";
  case StrategyName::fsdp:
    return "fsdp";
  case StrategyName::model_parallel:
    return "model-parallel";
  }
  return "";
}

std::string to_text(Protocol value) {
  switch (value) {
  case Protocol::none:
    return "none";
  case Protocol::ll:
    return "LL";
  case Protocol::ll128:
    return "LL128";
  case Protocol::simple:
    return "Simple";
  }
  return "";
}

std::string to_text(Grouping value) {
  switch (value) {
  case Grouping::buckets:
    return "buckets";
  case Grouping::per_tensor:
    return "per-tensor";
  case Grouping::fusion:
    return "fusion";
  case Grouping::single:
    return "single";
  }
  return "";
}

std::string to_text(Sharding value) {
  switch (value) {
  case Sharding::round_robin:
    return "round-robin";
  case Sharding::bytes:
    return "bytes";
  case Sharding::split:
    return "split";
  case Sharding::pieces:
    return "pieces";
  case Sharding::hash:
    return "hash";
  case Sharding::unknown:
    return "unknown";
  }
  return "";
}

std::string to_text(NicPath value) {
  switch (value) {
  case NicPath::virtual_switch:
    return "virtual-switch";
  case NicPath::efa:
    return "efa";
  case NicPath::ip_over_fabric:
    return "ip-over-fabric";
  case NicPath::host_memory:
    return "host-memory";
  }
  return "";
}

std::string to_text(Placement value) {
  switch (value) {
  case Placement::dedicated:
    return "dedicated";
  case Placement::colocated:
    return "colocated";
  case Placement::unknown:
    return "unknown";
  }
  return "";
}

std::string to_text(Device value) {
  switch (value) {
  case Device::cpu:
    return "cpu";
  case Device::gpu:
    return "gpu";
  }
  return "";
}

std::string to_text(Precision value) {
  switch (value) {
  case Precision::amp:
    return "amp";
  case Precision::bf16:
    return "bf16";
  case Precision::fp16:
    return "fp16";
  case Precision::fp32:
    return "fp32";
  case Precision::fp8:
    return "fp8";
  case Precision::fp8_block:
    return "fp8-block";
  case Precision::mxfp8:
    return "mxfp8";
  case Precision::nvfp4:
    return "nvfp4";
  case Precision::tf32:
    return "tf32";
  }
  return "";
}

std::string to_text(WirePrecision value) {
  switch (value) {
  case WirePrecision::fp32:
    return "fp32";
  case WirePrecision::fp16:
    return "fp16";
  case WirePrecision::bf16:
    return "bf16";
  case WirePrecision::unknown:
    return "unknown";
  }
  return "";
}

std::string to_text(Library value) {
  switch (value) {
  case Library::nccl:
    return "nccl";
  case Library::mpi:
    return "mpi";
  case Library::gloo:
    return "gloo";
  case Library::grpc:
    return "grpc";
  case Library::ps_lite:
    return "ps-lite";
  case Library::byteps:
    return "byteps";
  }
  return "";
}

std::string to_text(IntraKind value) {
  switch (value) {
  case IntraKind::none:
    return "none";
  case IntraKind::pcie_tree:
    return "pcie-tree";
  case IntraKind::nvlink_mesh:
    return "nvlink-mesh";
  case IntraKind::nvswitch:
    return "nvswitch";
  case IntraKind::host_staging:
    return "host-staging";
  }
  return "";
}

std::string to_text(FabricKind value) {
  switch (value) {
  case FabricKind::star:
    return "star";
  case FabricKind::fat_tree:
    return "fat-tree";
  case FabricKind::rails:
    return "rails";
  case FabricKind::torus:
    return "torus";
  case FabricKind::dragonfly:
    return "dragonfly";
  }
  return "";
}

std::string to_text(Routing value) {
  switch (value) {
  case Routing::adaptive:
    return "adaptive";
  case Routing::fixed:
    return "static";
  }
  return "";
}

std::string to_text(NodeOrder value) {
  switch (value) {
  case NodeOrder::packed:
    return "packed";
  case NodeOrder::scattered:
    return "scattered";
  case NodeOrder::listed:
    return "listed";
  }
  return "";
}

std::string to_text(NodeReduce value) {
  switch (value) {
  case NodeReduce::reduce_scatter:
    return "reduce-scatter";
  case NodeReduce::one_gpu:
    return "one-gpu";
  }
  return "";
}

std::string to_text(PriorScale value) {
  switch (value) {
  case PriorScale::log:
    return "log";
  case PriorScale::heavy_log:
    return "heavy-log";
  case PriorScale::linear:
    return "linear";
  }
  return "";
}

std::string to_text(EvidenceLabel value) {
  switch (value) {
  case EvidenceLabel::calibrated:
    return "calibrated";
  case EvidenceLabel::extrapolated:
    return "extrapolated";
  case EvidenceLabel::transferred:
    return "transferred";
  case EvidenceLabel::assumed:
    return "assumed";
  }
  return "";
}

std::string to_text(RecordKind value) {
  switch (value) {
  case RecordKind::step:
    return "step";
  case RecordKind::collective:
    return "collective";
  case RecordKind::point_to_point:
    return "point_to_point";
  case RecordKind::layers:
    return "layers";
  case RecordKind::server:
    return "server";
  case RecordKind::input:
    return "input";
  case RecordKind::loss:
    return "loss";
  case RecordKind::speed_up:
    return "speed_up";
  }
  return "";
}

std::string to_text(PriceKind value) {
  switch (value) {
  case PriceKind::on_demand:
    return "on-demand";
  case PriceKind::reserved:
    return "reserved";
  case PriceKind::purchase:
    return "purchase";
  case PriceKind::owned:
    return "owned";
  }
  return "";
}

std::string to_text(PlanGoal value) {
  switch (value) {
  case PlanGoal::cost:
    return "cost";
  case PlanGoal::time:
    return "time";
  case PlanGoal::energy:
    return "energy";
  }
  return "";
}

std::string to_text(RunMode value) {
  switch (value) {
  case RunMode::train:
    return "train";
  case RunMode::forward:
    return "forward";
  }
  return "";
}

} // namespace ddlsim
