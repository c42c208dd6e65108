// Texts of the names that decide how a model is laid out over GPUs.

#include "sim/formats/names.hpp"

namespace ddlsim {

std::string to_text(PipelineSchedule value) {
  switch (value) {
  case PipelineSchedule::gpipe:
    return "gpipe";
  case PipelineSchedule::one_f_one_b:
    return "1f1b";
  case PipelineSchedule::interleaved:
    return "interleaved";
  case PipelineSchedule::zero_bubble:
    return "zero-bubble";
  }
  return "";
}

std::string to_text(DataParallel value) {
  switch (value) {
  case DataParallel::all_reduce:
    return "all-reduce";
  case DataParallel::zero_1:
    return "zero-1";
  case DataParallel::fsdp:
    return "fsdp";
  }
  return "";
}

std::string to_text(ContextKind value) {
  switch (value) {
  case ContextKind::all_gather:
    return "all-gather";
  case ContextKind::ring:
    return "ring";
  case ContextKind::all_to_all:
    return "all-to-all";
  }
  return "";
}

std::string to_text(RankOrder value) {
  switch (value) {
  case RankOrder::stages_last:
    return "tp-cp-dp-pp";
  case RankOrder::replicas_last:
    return "tp-cp-pp-dp";
  }
  return "";
}

std::string to_text(ExpertExchange value) {
  switch (value) {
  case ExpertExchange::all_to_all:
    return "all-to-all";
  case ExpertExchange::deepep:
    return "deepep";
  }
  return "";
}

} // namespace ddlsim
