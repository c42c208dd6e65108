#pragma once
// Tables of fields that make up a cluster file, for its own table. Private to the readers of clusters.

#include "sim/formats/cluster.hpp"
#include "sim/formats/field_table.hpp"

namespace ddlsim {

/// "fabric".
const FieldTable<Fabric>& fabric_fields();

/// "node", whose keys belong to the cluster.
const FieldTable<Cluster>& node_fields();

/// "prices", of which a kind, term and date stand once.
ValueType<std::vector<NodePrice>> prices_type();

} // namespace ddlsim
