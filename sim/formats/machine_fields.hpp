#pragma once
// Tables of fields that make up a cluster file, for its own table. Private to the readers of clusters.

#include "sim/formats/cluster.hpp"
#include "sim/formats/field_table.hpp"

namespace ddlsim {

/// Fields of "fabric".
const FieldTable<Fabric>& fabric_fields();

/// Fields of "node", which are members of Cluster.
const FieldTable<Cluster>& node_fields();

/// "prices": each combination of kind, term and date may appear once.
ValueType<std::vector<NodePrice>> prices_type();

} // namespace ddlsim
