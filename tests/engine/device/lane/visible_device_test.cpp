#include "tuner/engine/device/lane/visible_device.hpp"

#include <doctest/doctest.h>

#include "tuner/error.hpp"

using tuner::engine::visible_device;
using List = std::vector<std::string>;

TEST_CASE("a worker sees one GPU, counted as nvidia-smi counts") {
  CHECK(visible_device(3, "", nullptr, nullptr) == List{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=3"});
}

TEST_CASE("the user's list and order keep their meaning") {
  CHECK(visible_device(1, "", "5,GPU-abc,7", nullptr) == List{"CUDA_VISIBLE_DEVICES=GPU-abc"});
  CHECK(visible_device(2, "", "5,GPU-abc,7", nullptr) == List{"CUDA_VISIBLE_DEVICES=7"});
  CHECK(visible_device(0, "", "5", nullptr) == List{"CUDA_VISIBLE_DEVICES=5"});
  CHECK(visible_device(1, "", nullptr, "FASTEST_FIRST") == List{"CUDA_VISIBLE_DEVICES=1"});
}

TEST_CASE("a UUID names a GPU whatever the list says") {
  CHECK(visible_device(0, "GPU-x", "5,6", nullptr) == List{"CUDA_VISIBLE_DEVICES=GPU-x"});
}

TEST_CASE("an ordinal past the end of the user's list is refused") {
  CHECK_THROWS_WITH_AS(visible_device(2, "", "5,6", nullptr),
                       "There is no GPU 2: CUDA_VISIBLE_DEVICES is '5,6'; choose one from that list, counted from 0.",
                       tuner::Error);
  CHECK_THROWS_AS(visible_device(0, "", "", nullptr), tuner::Error);
}
