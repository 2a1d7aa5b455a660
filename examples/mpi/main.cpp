// One answer for all ranks of an MPI job. Rank 0 requests what the job needs, from its databases or by tuning; what it
// serves goes to every rank as bytes, binaries included, and every rank serves itself from them, rank 0 too. So all of
// them launch the same configuration, and compute the same bits, whatever they have stored.
//
//     mpirun -n 4 mpi             TUNER_MODE=tune mpirun -n 4 mpi tunes on rank 0
#include <mpi.h>

#include <exception>
#include <tuner/tuner.hpp>
#include <utility>

#include "common/gpu.hpp"
#include "mpi/broadcast.hpp"

namespace {

constexpr int kWidth = 1000, kHeight = 700, kSteps = 100;

/// The GPUs of a host are dealt out to its ranks.
int gpu_of_this_rank() {
  MPI_Comm host = MPI_COMM_NULL;
  int rank = 0, gpus = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &rank);
  MPI_Comm_free(&host);
  return cudaGetDeviceCount(&gpus) == cudaSuccess && gpus > 0 ? rank % gpus : 0;
}

tuner::Description heat() {
  return tuner::Description::from_file(HEAT_CU);
}

/// What rank 0 serves, as bytes; on failure none, so that the other ranks do not wait for them forever.
std::vector<std::byte> decisions_of_rank_0(int gpu) try {
  tuner::Runtime runtime({.device = gpu});
  runtime.kernel(heat()).request({kWidth, kHeight});
  return runtime.frozen(tuner::FrozenBinaries::included);
} catch (const std::exception& error) {
  std::fprintf(stderr, "mpi: %s\n", error.what());
  return {};
}

std::vector<float> simulate(const tuner::Instance& step) {
  std::vector<float> start(std::size_t{kWidth} * kHeight, 1.0f);
  for (std::size_t i = 0; i < start.size(); i += 97) start[i] = 3.0f;
  const gpu::Stream stream;
  const gpu::Array<float> first(start), second(start.size());
  float *now = first.data(), *next = second.data();
  for (int i = 0; i < kSteps; ++i) {
    const tuner::LaunchStatus status = step.launch(stream, now, next, kWidth, kHeight, 0.2f);
    if (!status) throw std::runtime_error(std::string(status.message));
    std::swap(now, next);
  }
  return (kSteps % 2 == 0 ? first : second).read(stream);
}

/// Whether every rank passes the same bytes as rank 0. Collective.
bool same_everywhere(const void* data, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(data);
  const std::vector<std::byte> mine(begin, begin + size);
  int same = broadcast(mine, MPI_COMM_WORLD) == mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return same == 1;
}

bool on_every_rank(bool mine) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

int run(int rank, int ranks) {
  const int gpu = gpu_of_this_rank();
  const std::vector<std::byte> bytes =
      broadcast(rank == 0 ? decisions_of_rank_0(gpu) : std::vector<std::byte>(), MPI_COMM_WORLD);
  if (bytes.empty()) return 1;

  tuner::Runtime runtime = tuner::Runtime::from_frozen(bytes, {.device = gpu});
  const tuner::Kernel kernel = runtime.kernel(heat());
  const tuner::Instance& step = kernel.request({kWidth, kHeight});
  const tuner::Provenance provenance = step.provenance();
  if (!on_every_rank(step.runnable())) return rank == 0 ? gpu::skip(provenance.why) : 77;

  const std::vector<float> result = simulate(step);
  const std::string& configuration = provenance.configuration;
  const bool same_configuration = same_everywhere(configuration.data(), configuration.size());
  const bool same_result = same_everywhere(result.data(), result.size() * sizeof(float));
  if (rank == 0) {
    std::printf("%d ranks, rung `%s`, %s: %s configuration and %s results on all of them\n", ranks,
                std::string(to_string(provenance.rung)).c_str(), configuration.c_str(),
                same_configuration ? "the same" : "ANOTHER", same_result ? "the same" : "OTHER");
  }
  return same_configuration && same_result ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    const int code = run(rank, ranks);
    MPI_Finalize();
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the other ranks wait for this one
  }
  return 1;
}
