#include "tuner/engine/sizes/crew.hpp"

#include <utility>

#include "tuner/process/quiet_thread.hpp"

namespace tuner::engine {

Crew::Crew(std::size_t seats) : Crew(seats, Calls()) {}

Crew::Crew(std::size_t seats, Calls calls) : calls_(std::move(calls)), in_service_(seats) {
  if (seats <= 1) return;
  working_ = seats;
  try {
    for (std::size_t seat = 0; seat < seats; ++seat) threads_.push_back(quiet_thread([this, seat] { run(seat); }));
  } catch (...) {
    end();
    throw;
  }
}

Crew::~Crew() {
  end();
}

void Crew::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Crew::work_off(std::deque<Piece> pieces) {
  if (threads_.empty()) {
    for (const Piece& piece : pieces) {
      if (!piece(0)) return false;
    }
    return true;
  }
  std::unique_lock lock(mutex_);
  goes_on_ = !error_;
  for (Piece& piece : pieces) {
    if (goes_on_) waiting_.push_back({std::move(piece)});
  }
  changed_.notify_all();
  changed_.wait(lock, [this] { return waiting_.empty() && working_ == 0; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return goes_on_;
}

void Crew::run(std::size_t seat) {
  begin(seat);
  std::unique_lock lock(mutex_);
  --working_;
  changed_.notify_all();
  for (bool stays = true; stays;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    ++working_;
    lock.unlock();
    stays = work(seat, next);
    lock.lock();
    --working_;
    changed_.notify_all();
  }
  // What it started would end with this thread; nobody asks for it any more, but the crew may still be at work.
  changed_.wait(lock, [this] { return ending_; });
}

void Crew::begin(std::size_t seat) {
  try {
    if (calls_.begin) calls_.begin(seat);
  } catch (...) {
    end_with(std::current_exception());
    if (calls_.refused) calls_.refused();
  }
}

void Crew::end_with(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (error && !error_) error_ = std::move(error);
  goes_on_ = false;
  waiting_.clear();
}

/// False if the seat leaves.
bool Crew::work(std::size_t seat, const Waiting& waiting) {
  try {
    if (!waiting.piece(seat)) end_with(nullptr);
  } catch (const Error& error) {
    bool leaves = false;
    if (error.code() == Errc::device_lost && !waiting.lost_a_seat) {
      const std::lock_guard lock(mutex_);
      leaves = in_service_ > 1 && goes_on_;
      if (leaves) {
        --in_service_;
        waiting_.push_front({waiting.piece, true});
      }
    }
    if (!leaves) {
      end_with(std::current_exception());
    } else {
      if (calls_.left) calls_.left(seat, error);
      return false;
    }
  } catch (...) {
    end_with(std::current_exception());
  }
  return true;
}

}  // namespace tuner::engine
