#include "tuner/host/shim/clocks.hpp"

#include <doctest/doctest.h>

using tuner::host::Clocks;

namespace {

struct Story {
  Clocks clocks;
  Story() {
    clocks.begin_launch();
    clocks.begin_block(64);
  }
  Clocks::Moment by(unsigned thread) {
    clocks.resume(thread);
    return clocks.now();
  }
  bool knows(unsigned thread, const Clocks::Moment& moment) {
    clocks.resume(thread);
    return clocks.knows(moment);
  }
};

}  // namespace

TEST_CASE("a thread knows what it did itself, and of others what was before a barrier") {
  Story story;
  const auto before = story.by(3);
  CHECK(story.knows(3, before));
  CHECK_FALSE(story.knows(4, before));
  story.clocks.barrier();
  CHECK(story.knows(4, before));
  CHECK_FALSE(story.knows(4, story.by(3)));
}

TEST_CASE("a meeting of a warp orders its lanes and nobody else") {
  Story story;
  const auto before = story.by(3);
  story.clocks.warp_met(0, 0xff);
  CHECK(story.knows(4, before));
  CHECK_FALSE(story.knows(9, before));
  CHECK_FALSE(story.knows(40, before));
}

TEST_CASE("an atomic orders what was before a fence, and only with the fence") {
  Story story;
  int word = 0, other = 0;
  const auto before = story.by(3);
  story.clocks.atomic(&word);
  story.clocks.resume(40);
  story.clocks.atomic(&word);
  CHECK_FALSE(story.knows(40, before));

  story.clocks.resume(3);
  story.clocks.fence();
  const auto after_fence = story.by(3);
  story.clocks.atomic(&word);
  story.clocks.resume(40);
  story.clocks.atomic(&other);
  CHECK_FALSE(story.knows(40, before));
  story.clocks.atomic(&word);
  CHECK(story.knows(40, before));
  CHECK_FALSE(story.knows(40, after_fence));
}

TEST_CASE("another block knows what a block fenced before an atomic that both used") {
  Story story;
  int word = 0;
  const auto by_other = story.by(5);
  story.clocks.barrier();
  const auto before = story.by(0);
  story.clocks.fence();
  story.clocks.atomic(&word);
  const auto later = story.by(0);
  story.clocks.begin_block(64);
  CHECK_FALSE(story.knows(0, before));
  story.clocks.resume(0);
  story.clocks.atomic(&word);
  CHECK(story.knows(0, before));
  CHECK(story.knows(0, by_other));
  CHECK_FALSE(story.knows(0, later));
}

TEST_CASE("a fence of every thread before a barrier counts for the one that goes on to the atomic") {
  Story story;
  int word = 0;
  const auto first = story.by(0);
  story.clocks.fence();
  const auto last = story.by(63);
  story.clocks.fence();
  story.clocks.barrier();
  story.clocks.resume(0);
  story.clocks.atomic(&word);
  story.clocks.begin_block(64);
  story.clocks.resume(7);
  story.clocks.atomic(&word);
  CHECK(story.knows(7, first));
  CHECK(story.knows(7, last));
}
