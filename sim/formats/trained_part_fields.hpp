#pragma once
// The fields of TrainedPart: private to the tables of scenarios and records.

#include "sim/formats/field_table.hpp"
#include "sim/formats/trained_part.hpp"

namespace ddlsim {

/// The object "train".
ValueType<TrainedPart> trained_part_type();

/// The field "document_tokens".
ValueType<double> document_tokens_type();

} // namespace ddlsim
