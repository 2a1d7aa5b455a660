#include "../program.cuh"

void launch_square(float* y, const float* x, int n);

int main() {
  return run_program(launch_square);
}
