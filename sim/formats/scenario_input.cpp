#include "sim/formats/question_fields.hpp"

namespace ddlsim {
void check_input(const JsonNode& node) {
  const bool has_size = node.has("bytes_per_sample") || node.has("dataset");
  for (const char* key : {"shared_read_bandwidth", "read_bandwidth", "storage"}) {
    if (!node.has(key) || has_size) continue;
    node.mistake_at("bytes_per_sample",
                    "missing; give the size of a stored sample, like \"110 KB\", or the name of a \"dataset\"");
    break;
  }
  if (node.has("cores_per_node") && !node.has("loader"))
    node.mistake_at("loader", "missing; name what the cores decode with, like \"pytorch-dataloader\"");
  const bool reads = node.has("storage") || node.has("read_bandwidth") || node.has("shared_read_bandwidth");
  if (node.has("readers_per_node") && !reads)
    node.mistake_at("storage", "missing; name what the readers read, like \"nfs\", or give its \"read_bandwidth\"");
}

} // namespace ddlsim
