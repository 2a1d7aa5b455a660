// The kernels of the T1 files in this folder, each with a flaw, and of their repaired forms.
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
// What a launch does on the fake driver (tests/engine/device/fake_driver), which runs no code.
extern "C" __device__ const char tuner_fake[] = "FAKE:right time=9" TEXT(VARIANT) "000 block=" TEXT(BLOCK);

__global__ void scale(const double* values, double* doubled, int* counts, float* room, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  doubled[i] = 2 * values[i];
  counts[i] += 1;
  if (i < 64) room[i] = 1;
}

// The atoms come in two layouts, of which a configuration reads one.
__global__ void scale_atoms(const double* values, double* doubled, int* counts, float* room, int n, const float* atoms,
                            const float* atoms_x, const float* atoms_y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  doubled[i] = 2 * values[i] + (VARIANT == 1 ? atoms[2 * i] : atoms_x[i]) * 0 * (atoms_y[i] + 1);
  counts[i] += 1;
  if (i < 64) room[i] = 1;
}
