#include "sim/formats/answer_fields.hpp"
#include "sim/formats/strategy_fields.hpp"

namespace ddlsim {
namespace {

const std::vector<std::string> only_model_parallel{"model-parallel"};

/// The row of a table with that key. Where several strategies have rows of the key, it is the one of `strategy`.
Field<Strategy> row_of(const FieldTable<Strategy>& table, const std::string& key, const std::string& strategy = "") {
  for (const auto& row : table.fields) {
    const auto& condition = row.shape.only_where;
    if (row.shape.name == key && (strategy.empty() || (condition && is_in(condition->words, strategy)))) return row;
  }
  throw std::logic_error("no key " + key + " of strategies");
}

/// The row of that key which depends on `condition`.
Field<Strategy> row_under(const FieldTable<Strategy>& table, const std::string& key, const std::string& condition) {
  for (const auto& row : table.fields)
    if (row.shape.name == key && row.shape.only_where && row.shape.only_where->key == condition) return row;
  throw std::logic_error("no key " + key + " of strategies");
}

std::vector<std::string> names_in(StrategyFamily family) {
  std::vector<std::string> names;
  for (const auto name : values_of<StrategyName>())
    if (family_of(name) == family) names.push_back(to_text(name));
  return names;
}

/// Servers as a scenario or a record has them: a rule, the rule that nobody states, or "best".
Field<Strategy> servers_row() {
  auto row = row_of(strategy_fields(StrategyUse::scenario), "servers");
  row.shape.value.parts.back() = servers_type(StrategyUse::record).shape;
  return std::move(row).always_written();
}

std::vector<Field<Strategy>> sharded_rows() {
  const auto& table = strategy_fields(StrategyUse::scenario);
  return {row_of(table, "reshard_after_forward", "fsdp").always_written(),
          row_of(table, "backward_prefetch").always_written(),
          row_of(table, "gathers_in_flight").always_written(),
          row_of(table, "shard_group", "fsdp"),
          row_of(table, "micro_batches", "fsdp").only_where("name", names_in(StrategyFamily::sharded)).always_written(),
          row_of(table, "recompute", "fsdp").only_where("name", names_in(StrategyFamily::sharded)).always_written(),
          row_of(table, "micro_batches", "auto").only_where("name", names_in(StrategyFamily::all_reduce)),
          row_of(table, "recompute", "auto").only_where("name", names_in(StrategyFamily::all_reduce)),
          row_of(table, "offload", "zero-1"),
          row_of(table, "offload", "fsdp")};
}

std::vector<Field<Strategy>> model_parallel_rows() {
  const auto& table = strategy_fields(StrategyUse::scenario);
  auto stages = row_of(table, "virtual_stages").always_written().only_where("name", only_model_parallel);
  stages.shape.value.parts.front().least = 1;
  return {row_of(table, "layout"),
          row_of(table, "tensor").always_written(),
          row_of(table, "context"),
          row_of(table, "expert"),
          row_of(table, "pipeline").always_written(),
          row_of(table, "micro_batches", "model-parallel").always_written(),
          row_of(table, "schedule").always_written(),
          stages,
          row_of(table, "data_parallel").always_written(),
          row_of(table, "recompute", "model-parallel"),
          row_of(table, "rank_order"),
          row_of(table, "context_kind"),
          row_of(table, "first_stage_blocks"),
          row_of(table, "last_stage_blocks"),
          row_under(table, "reshard_after_forward", "data_parallel"),
          row_under(table, "shard_group", "data_parallel")};
}

std::vector<Field<Strategy>> server_rows() {
  const auto& asked = strategy_fields(StrategyUse::scenario);
  const auto& recorded = strategy_fields(StrategyUse::record); // its words include "unknown"
  return {servers_row(), row_of(recorded, "placement"), row_of(recorded, "sharding"),
          row_of(asked, "on_node_reduce").always_written(), row_of(asked, "device").always_written()};
}

} // namespace

const FieldTable<Strategy>& strategy_answer_fields() {
  static const auto made = [] {
    const auto& asked = strategy_fields(StrategyUse::scenario);
    FieldTable<Strategy> table{{row_of(asked, "name"), row_of(asked, "preset"), row_of(asked, "transport")}};
    for (const auto& rows : {sharded_rows(), model_parallel_rows(), server_rows()})
      table.fields.insert(table.fields.end(), rows.begin(), rows.end());
    return table;
  }();
  return made;
}

} // namespace ddlsim
