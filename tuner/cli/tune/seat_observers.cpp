#include "tuner/cli/tune/seat_observers.hpp"

#include <algorithm>
#include <utility>

namespace tuner::cli {

using engine::Observer;

namespace {

void add_counts(Observer::Progress& sum, const Observer::Progress& one) {
  sum.asked += one.asked;
  sum.compiled += one.compiled;
  sum.deduplicated += one.deduplicated;
  sum.finished += one.finished;
  sum.failed += one.failed;
  sum.total += one.total;
}

}  // namespace

class SeatObservers::Seat final : public Observer {
 public:
  explicit Seat(SeatObservers& all) : all_(all) {}

  void progress(const Progress& progress) override {
    const auto lock = all_.lock();
    if (progress.finished < now_.finished) ended_ = so_far();  // another session
    now_ = progress;
    all_.show_progress();
  }
  void warning(const std::string& sentence) override {
    const auto lock = all_.lock();
    if (std::find(warnings_.begin(), warnings_.end(), sentence) == warnings_.end()) warnings_.push_back(sentence);
    all_.shared_.warning(sentence);
  }

  // For the others, under their lock.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }
  const std::string& phase() const { return now_.phase; }
  /// Of all sessions on the seat.
  Progress so_far() const {
    Progress sum = ended_;
    add_counts(sum, now_);
    return sum;
  }

 private:
  SeatObservers& all_;
  Progress ended_;  ///< of the sessions before this one
  Progress now_;
  std::vector<std::string> warnings_;
};

SeatObservers::SeatObservers(Observer& shared, std::size_t seats) : shared_(shared) {
  for (std::size_t i = 0; i < seats; ++i) seats_.push_back(std::make_unique<Seat>(*this));
}
SeatObservers::~SeatObservers() = default;

Observer& SeatObservers::seat(std::size_t number) {
  return *seats_[number];
}

std::vector<std::string> SeatObservers::take_warnings(std::size_t number) {
  const std::lock_guard lock(mutex_);
  return seats_[number]->take_warnings();
}

/// The best time is left out: it would be that of any problem.
void SeatObservers::show_progress() {
  Observer::Progress sum;
  for (const auto& seat : seats_) add_counts(sum, seat->so_far());
  const bool all_alike = std::all_of(seats_.begin(), seats_.end(),
                                     [&](const auto& seat) { return seat->phase() == seats_.front()->phase(); });
  sum.phase = all_alike ? seats_.front()->phase() : "tuning";
  sum.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  shared_.progress(sum);
}

}  // namespace tuner::cli
