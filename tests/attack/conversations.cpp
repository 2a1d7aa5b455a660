// What programs say to each other, when one of them says anything: to the engine, to the workers, to a program that has
// an engine, and to a session that has workers.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "tests/attack/attack.hpp"
#include "tests/attack/talk.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

struct Partner {
  const char* program;
  const char* role;
  Listener listener;
};
constexpr Partner kPartners[] = {{"engine", "compile", Listener::compile_engine},
                                 {"engine", "tune", Listener::tune_engine},
                                 {"worker", "compile", Listener::compile_worker},
                                 {"worker", "device", Listener::device_worker},
                                 {"worker", "device", Listener::device_worker}};

/// What it answers is taken, so that it can go on; nothing of it matters.
void drain(int socket) {
  std::string ignored(70'000, '\0');
  pollfd entry{socket, POLLIN, 0};
  while (poll(&entry, 1, 2) == 1 && recv(socket, ignored.data(), ignored.size(), MSG_DONTWAIT) > 0) {
  }
}

void speak_first(Attack& attack, Chance& chance) {
  const Partner& partner = chance.one_of(kPartners);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("socketpair");
  UniqueFd ours(ends[0]), theirs(ends[1]);
  std::set<std::string> may_change{"db", "home", "tmp"};  // a job names its database, as others read it
  const Listing before = list(attack.sandbox().root(), may_change);
  Door& door = attack.door(partner.program);
  door.start({partner.role}, attack / "home", &theirs);
  theirs.reset();
  // Few are sound: those that are start compilers.
  for (std::size_t left = 1 + chance.below(12); left > 0; --left) {
    const bool sound = partner.listener == Listener::device_worker ? chance.once_in(2) : chance.once_in(15);
    const Packet packet = packet_of(chance, plausible_message(chance, partner.listener, attack / "db"), !sound);
    attack.note("sent: " + packet.bytes.substr(0, 2000) + " (" + std::to_string(packet.fds.size()) + " descriptors)");
    if (!send_packet(ours.get(), packet)) break;
    if (chance.once_in(3)) drain(ours.get());
  }
  drain(ours.get());
  ours.reset();
  const std::string said = std::string(partner.program) + " " + partner.role;
  // The worker ends itself with SIGKILL where its context is dead, the engine by its alarm where a session ends slowly.
  attack.judge(door.finish(), {.exit_codes = {0, 1, 64}, .signals = {SIGKILL, SIGALRM}, .text_matters = false}, said);
  for (const std::string& each : differences(before, list(attack.sandbox().root(), may_change)))
    attack.find("touched: " + each, said);
}

void put_programs_that_answer_anything(Attack& attack, Chance& chance) {
  fs::create_directories(attack / "in/libexec");
  for (const char* name : {"tuner-engine", "tuner-worker"})
    fs::create_symlink(attack.programs().helper, attack / "in/libexec" / name);
  write_bytes(attack / "home/talk-seed", std::to_string(chance.bits() >> 1));
}

void run_conversations(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  const std::size_t kind = chance.below(8);
  if (kind < 5) return speak_first(attack, chance);
  put_programs_that_answer_anything(attack, chance);
  if (kind < 7) {
    attack.run("helper", {"client", attack / "in/libexec"}, {.exit_codes = {0}});
    return;
  }
  std::vector<std::string> words{"tune",
                                 attack.programs().data / "scale.cu",
                                 "--problem",
                                 "n=1000",
                                 "--workers",
                                 "1",
                                 "--budget",
                                 "4,3s",
                                 "--compile-timeout",
                                 "1s",
                                 "--launch-timeout",
                                 "100ms",
                                 "--db",
                                 attack / "db"};
  // Which is no recording, so that it is not to be replaced.
  if (chance.once_in(2)) words.insert(words.end(), {"--record", attack / "outside/letter.txt"});
  // A worker of the same build that talks nonsense is a bug of the program, and called one.
  attack.run("live", words, {.may_change = {"db"}, .exit_codes = {0, 1, 2, 3, 4, 6, 70}});
}

}  // namespace

const Section kConversations{"conversations", 200, nullptr, run_conversations};

}  // namespace tuner::attack
