#pragma once
// Records of the same GPU, model, precision, stack and batch: which of them say best how fast one GPU is.

#include "sim/formats/record.hpp"

#include <vector>

namespace ddlsim {

/// Records that are equally good, fastest first.
using EqualRecords = std::vector<const StepRecord*>;

/// Returns the records that are most like one GPU that trains alone on synthetic data, fastest first: a server beside
/// the worker counts most against a record, then synchronisation code, then real data.
EqualRecords best_of(EqualRecords records);

/// Returns the standard deviation of ln time of records that contradict each other; 0 if all lie within
/// `repeat_difference`, in ln.
double disagreement_of(const EqualRecords& records, double repeat_difference);

/// Returns a sentence that names records that contradict each other and says what the user can do.
std::string disagreement_text(const EqualRecords& records);

} // namespace ddlsim
