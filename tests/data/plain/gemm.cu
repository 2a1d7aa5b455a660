#define BM 16
#define BN 16
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K, int lda, int ldb, int ldc) {
  int row = blockIdx.y * BM + threadIdx.y;
  int col = blockIdx.x * BN + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; k++) sum += A[row * lda + k] * B[k * ldb + col];
  C[row * ldc + col] = sum;
}
