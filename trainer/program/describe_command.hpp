#pragma once
#include <string>

namespace ddltrain {

/// `ddltrain describe MODEL [--output FILE]`: the layer table to FILE, or to standard output when FILE is empty.
void describe_command(const std::string& model, const std::string& output_file);

/// `ddltrain describe --list`: one line a variant, name and title.
void list_command();

} // namespace ddltrain
