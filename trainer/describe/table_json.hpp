#pragma once
#include "trainer/describe/layer_table.hpp"
#include "trainer/models/catalogue.hpp"

namespace ddltrain {

/// The layer table as the JSON of scenarios/models/NAME.json: one layer a line, every key in a fixed order.
std::string table_json(const CatalogueEntry& model, const LayerTable& table);

} // namespace ddltrain
