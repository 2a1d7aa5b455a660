// C = ALPHA * A * B for matrices stored by columns (A, C) and rows (B), described by gemm.json. Tiles of MWG x NWG in steps of KWG; MDIMC x NDIMC
// threads, which load A as MDIMA columns and B as NDIMB columns where SA and SB put them into (dynamic) shared memory.
template <typename Real>
__global__ void gemm(int sizeM, int sizeN, int sizeK, const Real* __restrict__ matA, const Real* __restrict__ matB, Real* matC) {
  constexpr int per_m = MWG / MDIMC;
  constexpr int per_n = NWG / NDIMC;
  extern __shared__ char memory[];
  Real* a = reinterpret_cast<Real*>(memory);
  Real* b = a + SA * KWG * MWG;
  const int thread = threadIdx.y * MDIMC + threadIdx.x;
  const int m0 = blockIdx.x * MWG;
  const int n0 = blockIdx.y * NWG;
  Real sum[per_m][per_n] = {};
  for (int k0 = 0; k0 < sizeK; k0 += KWG) {
#if SA
    for (int k = thread / MDIMA; k < KWG; k += MDIMC * NDIMC / MDIMA) {
      for (int m = thread % MDIMA; m < MWG; m += MDIMA) a[k * MWG + m] = matA[(k0 + k) * sizeM + m0 + m];
    }
#endif
#if SB
    for (int k = thread / NDIMB; k < KWG; k += MDIMC * NDIMC / NDIMB) {
      for (int n = thread % NDIMB; n < NWG; n += NDIMB) b[k * NWG + n] = matB[(k0 + k) * sizeN + n0 + n];
    }
#endif
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < KWG; ++k) {
      Real left[per_m];
      for (int m = 0; m < per_m; ++m) {
        const int at = threadIdx.x + m * MDIMC;
#if SA
        left[m] = a[k * MWG + at];
#else
        left[m] = matA[(k0 + k) * sizeM + m0 + at];
#endif
      }
      for (int n = 0; n < per_n; ++n) {
        const int at = threadIdx.y + n * NDIMC;
#if SB
        const Real right = b[k * NWG + at];
#else
        const Real right = matB[(k0 + k) * sizeN + n0 + at];
#endif
        for (int m = 0; m < per_m; ++m) sum[m][n] += left[m] * right;
      }
    }
    __syncthreads();
  }
  for (int n = 0; n < per_n; ++n) {
    for (int m = 0; m < per_m; ++m) {
      matC[(n0 + threadIdx.y + n * NDIMC) * sizeM + m0 + threadIdx.x + m * MDIMC] = ALPHA * sum[m][n];
    }
  }
}
