#include "sim/formats/layer_rows.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// Returns the index of the row's layer among the record's layers; a new layer is appended.
std::size_t place_of(const MeasuredLayer& layer, LayersRecord& record, std::map<std::string, std::size_t>& places) {
  const auto [at, is_new] = places.try_emplace(layer.name, record.layers.size());
  if (is_new) record.layers.push_back(layer);
  auto& known = record.layers[at->second];
  if (known.flop_per_sample == 0) known.flop_per_sample = layer.flop_per_sample;
  if (known.size_bytes == 0) known.size_bytes = layer.size_bytes;
  return at->second;
}

} // namespace

LayerRows::Table& LayerRows::table_of(const LayersRecord& row, std::vector<Record>& records) {
  const auto& head = row.head;
  const auto [at, is_new] = tables_.try_emplace({head.series, row.model, head.origin, head.device, head.host,
                                                 head.transport, head.library, head.software, head.statistic});
  if (!is_new) return at->second;
  at->second.record = records.size();
  LayersRecord begun;
  begun.head = head;
  begun.model = row.model;
  records.emplace_back(std::move(begun));
  return at->second;
}

void LayerRows::add(const LayersRecord& row, std::vector<Record>& records) {
  auto& table = table_of(row, records);
  auto& record = std::get<LayersRecord>(records[table.record]);
  if (record.head.note != row.head.note) record.head.note.clear();
  const auto place = place_of(row.layers.front(), record, table.layers);
  const auto& of_row = row.timings.front();
  const auto& [pass, times] = *of_row.passes.begin();
  TimingKey key{of_row.gpu, of_row.precision, of_row.batch, 0};
  key.repeated = table.seen[{key, row.layers.front().name, pass}]++;
  const auto [at, is_new] = table.timings.try_emplace(key, record.timings.size());
  if (is_new) record.timings.push_back({of_row.gpu, of_row.precision, of_row.batch, 0, false, {}});
  auto& timing = record.timings[at->second];
  timing.count = std::max(timing.count, of_row.count);
  timing.suspect = timing.suspect || of_row.suspect;
  timing.passes[pass].push_back({place, times.front().time_s, times.front().relative_spread});
}

} // namespace ddlsim
