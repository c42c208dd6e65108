#pragma once
// The tables of fields of calibration.json, of which each row of a table in the file has one. Private to the reader and
// the writer of calibrations.

#include "sim/formats/calibration.hpp"
#include "sim/formats/field_table.hpp"

namespace ddlsim {

ValueType<CalibratedParameter> calibrated_parameter_type();
ValueType<CalibratedChoice> calibrated_choice_type();
ValueType<CalibratedSeries> calibrated_series_type();
const FieldTable<CollectiveCurve>& collective_curve_fields();
const FieldTable<BatchLine>& batch_line_fields();

/// The whole document, with lists of objects in the place of the file's tables.
const FieldTable<Calibration>& calibration_fields();

/// The same value in whole numbers of 1/10,000, which need no points and leading zeros in a file.
long ten_thousandths(double value);

/// Rounds to four decimals: people read the file too, and a sixth digit of a fitted z-score means nothing.
double four_decimals(double value);

/// A type whose values have four decimals in the file.
ValueType<double> four_decimal_type(ValueType<double> type);

} // namespace ddlsim
