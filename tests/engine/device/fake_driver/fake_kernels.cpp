// What a program's kernels do to numbers, by the word `does=` of their module: they take (int* out, const int* in,
// int count), or the same of floats, and have some numbers of room behind `count`. Some do something else in a replay,
// which $FAKE_DRIVER tells them.
#include <algorithm>
#include <bit>
#include <random>
#include <string_view>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tests/engine/device/fake_driver/fake_settings.hpp"

namespace fake {
namespace {

constexpr int kPadding = 24, kSparse = 1000;

// What is stored is stored, whatever was there.
using Out = volatile int*;
using In = const int*;

unsigned something_else() {
  static std::random_device random;
  return random();
}

void copy(Out out, In in, int count) {
  for (int i = 0; i < count; ++i) out[i] = in[i];
}
void increment(Out out, In in, int count) {
  for (int i = 0; i < count; ++i) out[i] = out[i] + in[i];
}
void copy_some(Out out, In in, int count) {
  for (int i = 0; i < count; i += kSparse) out[i] = in[i];
}
void copy_and_pad(Out out, In in, int count) {
  copy(out, in, count);
  for (int i = count; i < count + kPadding; ++i) out[i] = 0;
}
void rewrite(Out out, In, int count) {
  for (int i = 0; i < count; ++i) out[i] = out[i];
}
void read_back(Out out, In in, int count) {
  copy(out, in, count);
  for (int i = 0; i < count; ++i) out[i] = out[i] + out[i];
}
void clamp(Out out, In, int count) {
  for (int i = 0; i < count; ++i) out[i] = std::min(int{out[i]}, 100);
}
void raise(Out out, In in, int count) {
  for (int i = 0; i < count; ++i) out[i] = std::max(int{out[i]}, in[i]);
}
template <int kValue>
void fill(Out out, In, int count) {
  std::fill_n(out, count, kValue);
}
void read(Out out, In in, int count) {
  for (int i = 0; i < count; ++i) static_cast<void>(out[i] + static_cast<const volatile int*>(in)[i]);
}
void swap(Out out, In in, int count) {
  for (int i = 0; i < count; ++i) {
    const int kept = out[i];
    out[i] = in[i];
    const_cast<int*>(in)[i] = kept;
  }
}
/// What is odd in the output is left alone, and no kernel knows how much that is.
void copy_to_even(Out out, In in, int count) {
  for (int i = 0; i < count; ++i)
    if (out[i] % 2 == 0) out[i] = 2 * in[i];
}
void vary(Out out, In, int count) {
  for (int i = 0; i < count; ++i) out[i] = static_cast<int>(something_else());
}
/// The first launch of a replay is as the program's.
void vary_later(Out out, In in, int count) {
  static int launches = 0;
  copy(out, in, count);
  if (told("again") && launches++ > 0) out[0] = static_cast<int>(something_else());
}
/// Pairs of numbers, in another order each time.
void shuffle(Out out, In in, int count) {
  const int shift = 2 * static_cast<int>(something_else() % 400u) + 2;
  for (int i = 0; i < count; ++i) out[i] = in[(i + shift) % count];
}
void round_differently(Out out, In in, int count) {
  for (int i = 0; i < count; ++i) {
    const auto value = std::bit_cast<float>(in[i]) * (1 + 1e-6f * static_cast<float>(something_else() % 8));
    out[i] = std::bit_cast<int>(value);
  }
}
void depend_on_program(Out out, In in, int count) {
  for (int i = 0; i < count; ++i) out[i] = in[i] + (told("again") ? 1 : 0);
}
/// Another stream of the program changes the input meanwhile.
void be_disturbed(Out out, In in, int count) {
  copy(out, in, count);
  if (!told("again")) const_cast<int*>(in)[1] += 1;
}
void fault_again(Out out, In in, int count) {
  copy(out, in, count);
  if (told("again")) static_cast<void>(*static_cast<volatile int*>(nullptr));
}
void hang_again(Out out, In in, int count) {
  copy(out, in, count);
  if (told("again")) device.hung = true;
}

}  // namespace

void work_on_numbers(std::string_view does, int* out, const int* in, int count) {
  static const std::map<std::string_view, void (*)(Out, In, int)> kernels = {{"copies", copy},
                                                                             {"increments", increment},
                                                                             {"copies_some", copy_some},
                                                                             {"pads", copy_and_pad},
                                                                             {"rewrites", rewrite},
                                                                             {"reads_back", read_back},
                                                                             {"clamps", clamp},
                                                                             {"raises", raise},
                                                                             {"fills", fill<7>},
                                                                             {"clears", fill<0>},
                                                                             {"reads", read},
                                                                             {"swaps", swap},
                                                                             {"copies_to_even", copy_to_even},
                                                                             {"varies", vary},
                                                                             {"varies_later", vary_later},
                                                                             {"shuffles", shuffle},
                                                                             {"rounds", round_differently},
                                                                             {"depends", depend_on_program},
                                                                             {"disturbed", be_disturbed},
                                                                             {"faults_again", fault_again},
                                                                             {"hangs_again", hang_again}};
  const auto kernel = kernels.find(does);
  if (kernel != kernels.end()) kernel->second(out, in, count);
}

}  // namespace fake
