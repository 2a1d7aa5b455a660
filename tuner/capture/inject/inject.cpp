// The library that the driver loads into a program that is looked at (CUDA_INJECTION64_PATH). It changes nothing that
// the program computes: whatever fails is a sentence to the parent, and the program runs on.
#include <exception>
#include <optional>
#include <string>

#include "tuner/capture/inject/cupti_calls.hpp"
#include "tuner/capture/inject/parent.hpp"
#include "tuner/capture/inject/wanted_launches.hpp"
#include "tuner/capture/inject/watch_launches.hpp"
#include "tuner/capture/inject/watch_profile.hpp"

namespace tuner::capture {
namespace {

/// Begins to watch; a sentence if that cannot be.
std::string watch(const Parent& parent) {
  std::string why;
  const std::optional<CuptiCalls> cupti = open_cupti(why);
  if (!cupti) return why;
  if (const std::optional<WantedLaunches> wanted = WantedLaunches::from_environment())
    return watch_launches(parent, *cupti, *wanted);
  return watch_profile(parent, *cupti);
}

}  // namespace
}  // namespace tuner::capture

/// Called by the driver where a program initialises it.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace tuner::capture;
  static bool was_called = false;
  const std::optional<Parent> parent = Parent::from_environment();
  if (!parent || was_called) return 1;
  was_called = true;
  try {
    parent->send(MessageKind::hello);
    const std::string trouble = watch(*parent);
    if (!trouble.empty()) parent->send(MessageKind::trouble, trouble);
  } catch (const std::exception&) {
    parent->send(MessageKind::trouble, "Kernels cannot be seen, because there was no memory or no thread left for it.");
  }
  return 1;
}
