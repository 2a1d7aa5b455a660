#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/attack/chance.hpp"
#include "tuner/process/channel.hpp"

namespace tuner::attack {

/// What goes over a channel at once.
struct Packet {
  std::string bytes;
  std::vector<UniqueFd> fds;
};

/// Who is spoken to.
enum class Listener {
  compile_engine,
  tune_engine,
  compile_worker,
  device_worker,
  compile_client,
  tune_client,
  pool,
  lane
};

/// A message as the listener may get it from its own kind. Jobs name `database`.
Message plausible_message(Chance& chance, Listener listener, const std::filesystem::path& database);
/// The same as it is, or damaged: its words, its frame, its descriptors.
Packet packet_of(Chance& chance, Message message, bool damage);
/// sendmsg() with up to 250 descriptors; more are left out. False where it fails.
bool send_with_descriptors(int socket, const std::string& bytes, const std::vector<int>& fds, int flags);
/// False if the other side is gone or takes nothing more.
bool send_packet(int socket, const Packet& packet);

/// In the place of the engine or of a worker: says hello, and answers with anything. The seed stands in ~/talk-seed.
int answer_anything();
/// A program that has an engine from this folder compile and tune, and gets an answer whatever that engine says.
int ask_engine(const std::filesystem::path& libexec);

}  // namespace tuner::attack
