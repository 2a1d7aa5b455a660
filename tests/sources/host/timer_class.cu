#pragma tuner kernel(timer_class)
#pragma tuner problem(n: size = 4096)
#pragma tuner param(BLOCK, 256, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
class Timer {
 public:
  Timer() { cudaEventCreate(&begin_); }

 private:
  cudaEvent_t begin_;
};

__global__ void timer_class(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i];
}

int main() {
  Timer timer;
  timer_class<<<1, BLOCK>>>(nullptr, nullptr, 0);
}
