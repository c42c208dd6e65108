#include "sim/formats/layout_fields.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

namespace ddlsim {

ValueType<int> number_or_word(long least, long most, const char* word, int meant) {
  ValueShape shape{ValueKind::either};
  shape.parts = {whole_type(least, most).shape, {ValueKind::constant, {word}}};
  const auto read = [=](const JsonNode& place) {
    if (!place.value().is_string()) return static_cast<int>(place.as_integer(least, most));
    const auto text = place.value().get<std::string>();
    if (text != word)
      place.mistake(fmt::format("{} found; {}a number or \"{}\" expected", describe(place.value()),
                                nearest_name(text, {word}).empty() ? "" : fmt::format("did you mean \"{}\"? ", word),
                                word));
    return meant;
  };
  return {shape, read, [=](const int& number) {
            return number == meant ? nlohmann::ordered_json(word) : nlohmann::ordered_json(number);
          }};
}

std::vector<Field<Strategy>> rows_of_layout() {
  constexpr long most_blocks = 10'000;
  constexpr long most_sharing = 1'000'000;
  const auto of = [](auto member) { return within(&Strategy::parallel, member); };
  const auto of_fsdp = [](Field<Strategy> row) { return std::move(row).only_where("data_parallel", {"fsdp"}); };
  const auto of_layout = [](Field<Strategy> row) { return std::move(row).only_where("name", {"model-parallel"}); };
  return {
      of_layout(optional("context_kind", of(&ModelParallelOptions::context_kind), name_of_type<ContextKind>(),
                         "how a context group attends to whole sequences; all-gather if not given")),
      of_layout(optional("first_stage_blocks", of(&ModelParallelOptions::first_stage_blocks),
                         whole_type(1, most_blocks),
                         "numbered blocks of the first stage; as many as make stages equally fast if not given")),
      of_layout(optional("last_stage_blocks", of(&ModelParallelOptions::last_stage_blocks), whole_type(1, most_blocks),
                         "the same of the last stage")),
      of_fsdp(optional("reshard_after_forward", of(&ModelParallelOptions::reshard_after_forward),
                       optional_boolean_type(),
                       "a unit's parameters are freed after forward; true without a pipeline if not given")),
      of_fsdp(optional("shard_group", of(&ModelParallelOptions::shard_group),
                       number_or_word(2, most_sharing, "node", ShardedOptions::a_node),
                       "ranks with the same layers that share one copy of their state (hybrid sharding); all if not "
                       "given"))};
}

namespace {

/// Each piece of a stage then has as many blocks.
void check_stage_blocks(const JsonNode& node, const char* key, int blocks, const ModelParallelOptions& parallel) {
  if (!node.has(key)) return;
  if (parallel.pipeline == 1)
    node.mistake_at(key, "only a pipeline has stages; leave it out, or give a \"pipeline\" of 2 stages or more");
  else if (blocks % parallel.virtual_stages != 0)
    node.mistake_at(key, fmt::format("{} blocks are not dealt out evenly over the {} \"virtual_stages\"; give a "
                                     "multiple of {}",
                                     blocks, parallel.virtual_stages, parallel.virtual_stages));
}

} // namespace

void check_layout_fields(const JsonNode& node, const ModelParallelOptions& parallel) {
  if (parallel.context == 1 && node.has("context_kind"))
    node.mistake_at("context_kind", "only a context group has one; leave it out, or give a \"context\" of 2 or more");
  if (parallel.schedule == PipelineSchedule::zero_bubble && parallel.data_parallel == DataParallel::fsdp)
    node.mistake_at("schedule", "\"zero-bubble\" is not simulated beside \"data_parallel\": \"fsdp\"; give another "
                                "schedule, or \"zero-1\"");
  check_stage_blocks(node, "first_stage_blocks", parallel.first_stage_blocks, parallel);
  check_stage_blocks(node, "last_stage_blocks", parallel.last_stage_blocks, parallel);
}

} // namespace ddlsim
