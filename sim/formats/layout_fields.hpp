#pragma once
// Fields of model parallelism that say how replicas share parameters, how context groups attend, and how many blocks the
// outer stages have.

#include "sim/formats/field_table.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/strategy.hpp"

#include <vector>

namespace ddlsim {

/// A whole number, or `word`, which stands for the number `meant`.
ValueType<int> number_or_word(long least, long most, const char* word, int meant);

/// The rows of these fields in questions and records.
std::vector<Field<Strategy>> rows_of_layout();

/// Notes values of these fields that have no meaning beside the others.
void check_layout_fields(const JsonNode& node, const ModelParallelOptions& parallel);

} // namespace ddlsim
