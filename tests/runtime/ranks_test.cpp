// The ranks of an MPI job, each with a database of its own: what examples/mpi does, over the fake driver.
#include <mpi.h>

#include "examples/mpi/broadcast.hpp"
#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE("all ranks of a job launch what rank 0 was served, whatever each of them has stored") {
  MPI_Init(nullptr, nullptr);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(ranks == 4);

  Machine machine;
  const char* const sizes[] = {"64", "128", "256", "512"};
  machine.tuned({.configuration = "BLOCK=" + std::string(sizes[rank]) + ",ITEMS=2,STORE=streaming"});
  std::vector<std::byte> bytes;
  if (rank == 0) {
    Runtime first(machine.options());
    first.kernel(wave()).request({100, 1000});
    bytes = first.frozen(FrozenBinaries::included);
  }
  bytes = broadcast(std::move(bytes), MPI_COMM_WORLD);
  Runtime runtime = Runtime::from_frozen(bytes, machine.options());
  const Kernel kernel = runtime.kernel(wave());
  CHECK(launched(kernel.request({100, 1000})) == "BLOCK=64,ITEMS=2,STORE=streaming");
  check_baseline_serves(kernel.request({200, 1000}), "The frozen decisions have none");
  MPI_Finalize();
}
