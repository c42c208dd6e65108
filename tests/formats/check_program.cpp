// Checks the files named on standard input, one a line, against the data folder named first: "good" or "bad", and what
// was said. With --schemas FOLDER it writes there the schema of every kind of file that has a table of fields.
// schema_test.py compares the two.

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/file_formats.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iostream>

namespace {

int write_schemas(const std::filesystem::path& folder) {
  for (const auto& format : ddlsim::file_formats())
    std::ofstream(folder / (format.name + ".schema.json")) << ddlsim::json_text(json_schema(format), 1) << '\n';
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc == 3 && argv[1] == std::string("--schemas")) return write_schemas(argv[2]);
  const ddlsim::DataFolder data{argv[1]};
  for (std::string file; std::getline(std::cin, file);) {
    try {
      const std::string summary = ddlsim::check_file(file, data);
      std::cout << "good\t" << summary << '\n';
    } catch (const ddlsim::UserError& error) {
      std::string stated = error.what();
      for (char& c : stated)
        if (c == '\n') c = '\t';
      std::cout << "bad\t" << stated << '\n';
    }
  }
  return 0;
}
