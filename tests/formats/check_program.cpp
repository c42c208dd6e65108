// Checks the files named on standard input, one a line, against the data folder named first: "good" or "bad", and what
// was said. schema_test.py compares this with what the schemas say.

#include "sim/base/error.hpp"
#include "sim/formats/check.hpp"

#include <iostream>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
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
