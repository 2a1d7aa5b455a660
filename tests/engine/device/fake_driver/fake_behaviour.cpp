// What candidates do. All take (const double* values, double* doubled, int* counts, float* room, int n). A module with
// an array `offsets` of doubles in constant memory adds them to what it doubles, one after the other. One with a global
// variable `launches_done` counts them there, resets it ("resets") or has it change between two values ("alternates").
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "tests/engine/device/fake_driver/fake_driver.hpp"

namespace fake {

CUresult behave(Module& module, void** arguments) {
  auto* values = pointer<double>(*static_cast<CUdeviceptr*>(arguments[0]));
  auto* doubled = pointer<double>(*static_cast<CUdeviceptr*>(arguments[1]));
  auto* counts = pointer<std::int32_t>(*static_cast<CUdeviceptr*>(arguments[2]));
  auto* room = pointer<float>(*static_cast<CUdeviceptr*>(arguments[3]));
  const int n = *static_cast<int*>(arguments[4]);
  const std::string& what = module.behaviour;
  const int launch = ++module.launches;
  if (module.wait_ms > 0) usleep(static_cast<useconds_t>(module.wait_ms) * 1000);
  if (module.busy_ms > 0)
    device.busy_until = std::max(device.busy_until, Clock::now()) + std::chrono::milliseconds(module.busy_ms);

  // The first inputs that this process sees are those of the search; others come when a winner is confirmed.
  static const double first_input = n > 0 ? values[0] : 0;
  const bool other_inputs = n > 0 && values[0] != first_input;
  // Verified and timed, and loaded again.
  const bool racing = module.loaded_before > 0 && launch > 1;

  if (what == "refused") return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (what == "dies") _exit(3);
  if (what == "killed") raise(SIGKILL);
  if (what == "stuck") never_return();
  static bool haunted = false;  // what one candidate left behind makes another one fail
  if (what == "haunts") haunted = true;
  if (what == "is_haunted" && haunted) device.dead = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (what == "hangs" || (what == "hangs_later" && launch > 4)) device.hung = true;
  if (what == "hangs_timed" && module.timed) device.hung = true;
  if (what == "faults_timed" && module.timed) device.dead = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (what == "hangs_racing" && racing) device.hung = true;
  if (what == "faults" || (what == "faults_later" && launch > 4)) device.dead = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (what == "faults_racing" && racing) device.dead = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (what == "faults_elsewhere" && other_inputs) device.dead = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (what == "misaligned") device.dead = CUDA_ERROR_MISALIGNED_ADDRESS;
  // "error_214", or "first_error_214": the first process that loads it meets the error, and no other.
  const std::size_t error = what.find("error_");
  if (error == 0 || (error != std::string::npos && module.loaded_before == 0))
    device.dead = static_cast<CUresult>(std::stoi(what.substr(error + 6)));
  if (what == "traps") device.dead = CUDA_ERROR_LAUNCH_FAILED;

  // Of a batch, that is: what the launch before it was given is remembered.
  static const double* values_before = nullptr;
  if (what == "expects_fresh" && n > 1 && (counts[0] != 0 || counts[1] != 1)) device.dead = CUDA_ERROR_LAUNCH_FAILED;
  if (what == "expects_other_inputs" && !module.timed && launch > 1 && values == values_before)
    device.dead = CUDA_ERROR_LAUNCH_FAILED;
  values_before = values;

  if (const auto done = module.arrays.find("launches_done"); done != module.arrays.end() && !done->second.empty())
    done->second[0] = what == "resets" ? 0 : what == "alternates" ? launch % 2 : launch;

  const bool same_buffers = std::exchange(module.doubled_before, doubled) == doubled;
  if (what == "skips" && launch >= module.from) return CUDA_SUCCESS;
  if (what == "skips_known_buffers" && same_buffers) return CUDA_SUCCESS;
  const int written = what == "unwritten" ? n - 1 : what == "sparse" ? n / 2 : what == "nothing" ? 0 : n;
  for (int i = 0; i < written; ++i) doubled[i] = 2 * values[i];
  if (const auto offsets = module.arrays.find("offsets"); offsets != module.arrays.end()) {
    for (int i = 0; i < written; ++i)
      doubled[i] += offsets->second[static_cast<std::size_t>(i) % offsets->second.size()];
  }
  for (int i = 0; i < n; ++i) counts[i] += 1;
  std::fill_n(room, module.room, 1.0f);
  if (what == "wrong" || (what == "wrong_elsewhere" && other_inputs)) doubled[n - 1] += 1;
  if (what == "wrong_first" && launch <= 2) doubled[n - 1] += 1;
  if (what == "fills") std::fill_n(doubled, n, doubled[0]);
  // By a choice for each element that a seed in constant memory is part of, as where rounding is random.
  if (what == "trembles") {
    const auto seed = std::bit_cast<std::uint64_t>(module.arrays.at("tuner_rounding_seed").at(0));
    for (int i = 0; i < n; ++i) doubled[i] += ((seed >> (i % 32)) & 1) != 0 ? module.by : 0;
  }
  if (what == "wavers" && launch % 2 == 0) doubled[0] = std::nextafter(doubled[0], 1e300);
  if (what == "flaky" && launch % 2 == 0) doubled[0] += 1;
  if (what == "accumulates") doubled[0] += 1e300;
  if (what == "input" || (what == "input_timed" && module.timed)) values[0] += 1;
  if (what == "past_end") doubled[n] = 1;
  if (what == "before_start") counts[-1] = 7;
  if (what == "far_away") damage_copies(static_cast<std::size_t>(n) * sizeof(double));
  // Read, and not used for anything.
  if (what == "reads_past") static_cast<void>(*static_cast<volatile double*>(values + n));
  if (what == "reads_before") static_cast<void>(*static_cast<volatile double*>(values - 1));
  if (what == "reads_past_room") static_cast<void>(*static_cast<volatile float*>(room + module.room));
  for (const auto& [argument, offset] : module.reads) {
    const CUdeviceptr address = *static_cast<CUdeviceptr*>(arguments[argument]);
    if (address % static_cast<CUdeviceptr>(module.aligned) != 0) return device.dead = CUDA_ERROR_MISALIGNED_ADDRESS;
    static_cast<void>(*static_cast<volatile char*>(pointer<char>(address) + offset));
  }
  if (what == "rewrites_input") static_cast<volatile double*>(values)[0] = values[0];
  if (what == "moves" && launch == 3) doubled[0] = std::nextafter(doubled[0], 1e300);
  if (what == "miscounts") counts[2] += 1;
  return CUDA_SUCCESS;
}

}  // namespace fake
