#include "sim/formats/file_formats.hpp"
#include "sim/formats/record_fields.hpp"

namespace ddlsim {

FileFormat measurement_format() {
  ValueShape line{ValueKind::either};
  line.parts = {context_fields().shape(),
                common_shape(),
                step_fields().shape(),
                collective_fields().shape(),
                point_to_point_fields().shape(),
                layers_fields().shape(),
                layer_row_shape(),
                server_fields_of_records().shape(),
                input_record_fields().shape(),
                loss_fields().shape(),
                speed_up_fields().shape()};
  return {"measurement", "One line of a measurement file",
          "platforms/CLUSTER/measurements/*.jsonl: a context in the first line, then records", line};
}

} // namespace ddlsim
