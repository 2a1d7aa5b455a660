#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tuner/process/fd.hpp"

namespace tuner {

/// What processes of the tuner say to each other: a word, a text (a long one travels as a file in memory), and
/// descriptors. At most 200 descriptors a message.
struct Message {
  std::string type;
  std::string body;
  std::vector<UniqueFd> fds;
};

/// One end of a connection between two processes of this program. Messages arrive whole, in order, or not at all. Each
/// carries the sender's build id; a message from another build throws Error{no_worker} that names both.
/// A peer that is gone is a state (`closed`), never a signal and never an exception. Used from one thread.
class Channel {
 public:
  Channel() = default;  ///< closed
  explicit Channel(UniqueFd socket) noexcept : socket_(std::move(socket)) {}

  /// Queues the message; false if the peer is gone (or has read nothing for ten seconds while the queue is full, which
  /// counts as gone). Normally returns at once.
  bool send(const Message& message);
  /// The next message; nothing if none has arrived or the channel is closed. Does not wait. What the peer sent before
  /// it went is still delivered.
  std::optional<Message> receive();
  /// Waits for the next message; nothing when the deadline passes or the channel closes.
  std::optional<Message> receive_until(std::chrono::steady_clock::time_point deadline);
  /// Waits without limit; nothing when the channel closes. For workers, which have nothing else to do.
  std::optional<Message> receive_wait();

  int fd() const noexcept { return socket_.get(); }  ///< readable when receive has something to say; -1 when closed
  bool closed() const noexcept { return !socket_; }
  void close() noexcept { socket_.reset(); }
  UniqueFd release() noexcept { return std::move(socket_); }  ///< to pass this end on to another process

 private:
  bool wait(short events, std::optional<std::chrono::steady_clock::time_point> deadline);
  std::optional<Message> decode(std::string packet, std::vector<UniqueFd> fds);

  UniqueFd socket_;
};

struct ChannelPair {
  Channel first, second;
};
/// Two connected ends, both close-on-exec. Throws Error{internal} when descriptors are exhausted.
ChannelPair make_channel_pair();

}  // namespace tuner
