#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ddltrain {

/// "64", "1KiB", "2 MiB", "1GiB" in bytes. Throws UsageError for what is no size or not whole fp32 elements.
std::int64_t byte_size(const std::string& text);

/// "1KiB..64MiB" as powers of two from the first up to the last, "1KiB,3MiB" as a list.
std::vector<std::int64_t> byte_sizes(const std::string& text);

/// "1 KiB", "1.5 MiB", "12 B".
std::string size_text(std::int64_t bytes);

} // namespace ddltrain
