// Linked where a program of tests has no main of its own.
int run_cases(int argc, char** argv); // tests/catch_main.cpp

int main(int argc, char** argv) {
  return run_cases(argc, argv);
}
