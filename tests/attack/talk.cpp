#include "tests/attack/talk.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>

#include "tests/attack/text_damage.hpp"
#include "tuner/engine/compile/compile_wire.hpp"
#include "tuner/engine/device/lane/device_wire.hpp"
#include "tuner/engine_protocol/engine_client.hpp"
#include "tuner/engine_protocol/engine_wire.hpp"
#include "tuner/process/build_id.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::attack {
namespace {

const char* const kKernel =
    "#pragma tuner kernel(k) problem(n: size) param(B, 64, 128) grid(n) block(B)\n"
    "#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)\n"
    "extern \"C\" __global__ void k(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = "
    "x[threadIdx.x]; }\n";

std::vector<std::byte> some_bytes(Chance& chance) {
  std::vector<std::byte> bytes(chance.below(3000));
  for (std::byte& each : bytes) each = static_cast<std::byte>(chance.byte());
  return bytes;
}

JobSubject subject(Chance& chance, const std::filesystem::path& database) {
  JobSubject subject;
  subject.text = chance.once_in(3) ? damage_source(chance, kKernel) : kKernel;
  subject.file = "k.cu";
  subject.kernel = "k";
  subject.headers = {{"a.h", "int a;"}};
  subject.problem = {{"n", 128}};
  subject.device = known_device("H200");
  subject.device.uuid = "GPU-1";
  subject.database = database;
  return subject;
}

BoundArgument argument(const std::string& name, Argument::Role role) {
  BoundArgument argument;
  argument.name = name;
  argument.role = role;
  argument.type = ElementType::float32;
  argument.length = 128;
  return argument;
}

engine::Candidate candidate(Chance& chance) {
  engine::Candidate candidate;
  candidate.configuration = "B=64";
  candidate.cubin.bytes = some_bytes(chance);
  candidate.cubin.kernel = "k";
  candidate.parameters = {{0, 8}, {8, 8}, {16, 4}};
  candidate.geometry.grid = {128, 1, 1};
  candidate.geometry.block = {64, 1, 1};
  return candidate;
}

engine::DeviceRequest device_request(Chance& chance) {
  const std::size_t kind = chance.below(12);
  if (kind == 0) return engine::RunReference{candidate(chance), {}};
  if (kind == 1) return engine::ScreenCandidate{candidate(chance), {}, 1000.0};
  if (kind == 2) return engine::LoadFinalists{{candidate(chance), candidate(chance)}, 3};
  if (kind == 3) return engine::RunBlock{{0, 1, 7}, 2};
  if (kind == 4) return engine::RecheckFinalist{chance.below(3), 4, true};
  if (kind == 5) return engine::ConfirmCandidate{candidate(chance), candidate(chance), chance.bits()};
  if (kind == 6) {
    const auto side = static_cast<engine::FenceSide>(chance.below(3));
    return engine::ProbeFences{candidate(chance),
                               {{chance.below(4), side, chance.below(1 << 20), chance.below(3) * 16}}};
  }
  if (kind == 7) return engine::CountCandidate{candidate(chance), {"smsp__inst_executed.sum", "no_such.sum"}};
  if (kind == 8)
    return engine::ReplayLaunch{.folder = "/nowhere",
                                .launch = chance.bits(),
                                .read_only = {chance.bits()},
                                .patterned = chance.bits(),
                                .times = static_cast<int>(chance.below(9)) - 1};
  engine::PrepareProblem problem;
  problem.arguments = {argument("x", Argument::Role::in), argument("y", Argument::Role::out)};
  problem.support_cubins = {some_bytes(chance), some_bytes(chance)};
  problem.launch_timeout = std::chrono::milliseconds(100);
  return problem;
}

engine::CompileRequest compile_request(Chance& chance) {
  engine::CompileRequest request;
  request.configuration = "B=64";
  request.source = chance.once_in(3) ? damage_source(chance, kKernel) : kKernel;
  request.file_name = "k.cu";
  request.name_expression = "k";
  request.architecture = chance.once_in(5) ? "sm_1" : "sm_90";
  request.options = {"--std=c++17"};
  request.headers = {{"a.h", "int a;"}};
  return request;
}

Message to_pool(Chance& chance) {
  const std::size_t kind = chance.below(6);
  if (kind == 0) return to_message(Error(Errc::internal, "no"));
  if (kind == 1) return {engine::kPrecompiled, "{}", {}};
  if (kind == 2) return to_message(engine::kReady, engine::HelperReady{"13.0.88"});
  if (kind == 3) {
    engine::CompileReply reply;
    reply.cubin.bytes = some_bytes(chance);
    reply.cubin.kernel = "k";
    reply.facts.registers = 10;
    return to_message(engine::kCompiled, reply);
  }
  ChannelPair pair = make_channel_pair();
  const int slot = static_cast<int>(chance.below(3)) - 1;
  Message message = to_message(engine::kWorker, engine::NewWorker{slot, getpid(), "ended"});
  message.fds.push_back(pair.first.release());
  return message;
}

Message to_lane(Chance& chance) {
  const std::size_t kind = chance.below(8);
  if (kind == 0) return to_message(engine::kHello, known_device("H200"));
  if (kind == 1) return Message{engine::kContextReady, {}, {}};
  if (kind == 2) return to_message(Error(Errc::no_driver, "There is none."));
  if (kind == 3) return Message{"devices", "{}", {}};
  engine::WorkerReply reply;
  reply.reply.result = engine::ScreenResult{{.samples_ns = {100, 101.5, 99}, .occupancy = 0.5}};
  reply.reply.launches = 3;
  reply.ends = chance.once_in(8);
  return engine::encode_reply(reply);
}

TuneAnswer tune_answer(Chance& chance) {
  TuneAnswer answer;
  answer.result = chance.once_in(3) ? TuneAnswer::Result::failed : TuneAnswer::Result::decided;
  answer.decision.configuration = "B=64";
  answer.cubin.bytes = some_bytes(chance);
  answer.cubin.kernel = "k";
  return answer;
}

/// A descriptor that is not what it should be.
UniqueFd odd_descriptor(Chance& chance) {
  const std::size_t kind = chance.below(5);
  if (kind == 0) return UniqueFd(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  if (kind == 1) return UniqueFd(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (kind == 2) return UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (kind == 3) return memfd_from_bytes(some_bytes(chance));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  close(ends[1]);
  return UniqueFd(ends[0]);
}

void damage_frame(Chance& chance, Packet& packet) {
  const std::size_t kind = chance.below(6);
  if (kind == 0) packet.bytes = damage_text(chance, packet.bytes, {});
  if (kind == 1) packet.bytes.resize(packet.bytes.size() - chance.below(packet.bytes.size()));
  if (kind == 2) packet.bytes += std::string(chance.below(70'000), chance.byte());
  if (kind == 3) packet.fds.clear();
  if (kind == 4) {
    for (std::size_t left = 1 + chance.below(40); left > 0; --left) packet.fds.push_back(odd_descriptor(chance));
  }
  if (kind == 5) {
    for (UniqueFd& each : packet.fds) each = odd_descriptor(chance);
  }
}

constexpr int kImpatienceMs = 700;
/// For how long the other side may say nothing before it is answered no more.
constexpr int kSilenceMs = 3000;

std::uint64_t seed_of_conversation() {
  std::uint64_t seed = 0;
  std::ifstream(std::string(getenv("HOME")) + "/talk-seed") >> seed;
  return seed;
}

}  // namespace

Message plausible_message(Chance& chance, Listener listener, const std::filesystem::path& database) {
  switch (listener) {
    case Listener::compile_engine:
      return service::encode(chance.below(4),
                             CompileJob{subject(chance, database), "B=64", std::chrono::milliseconds(500)});
    case Listener::tune_engine: {
      TuneJob job;
      job.subject = subject(chance, database);
      job.limit = std::chrono::milliseconds(300);
      job.compile_workers = 1;
      return service::encode(job);
    }
    case Listener::compile_worker:
      switch (chance.below(4)) {
        case 0:
          return to_message(engine::kReplace, engine::ReplaceWorker{static_cast<int>(chance.below(4)) - 1});
        case 1:
          return to_message(engine::kPrecompile, compile_request(chance));
        default:
          return to_message(engine::kStart, engine::HelperStart{.architecture = "sm_90", .warm_up = false});
      }
    case Listener::device_worker:
      return engine::encode_request(device_request(chance));
    case Listener::compile_client:
      return service::encode(
          chance.below(4),
          CompileAnswer{static_cast<Outcome>(chance.below(14)), "so", {{"hash"}, "k", some_bytes(chance)}});
    case Listener::tune_client:
      return service::encode(tune_answer(chance));
    case Listener::pool:
      return to_pool(chance);
    case Listener::lane:
      return to_lane(chance);
  }
  return {};
}

Packet packet_of(Chance& chance, Message message, bool damage) {
  const std::size_t kind = damage ? chance.below(4) : 9;
  if (kind == 0)
    message.type =
        chance.one_of({"", "compile", "tune", "start", "reply", "request", "worker", "no such type", "a\nb"});
  if (kind <= 1) message.body = damage_packed(chance, message.body);
  Packet packet{std::string(build_id()) + ' ' + message.type + " inline\n" + message.body, std::move(message.fds)};
  if (kind == 2) damage_frame(chance, packet);
  if (kind == 3 && chance.once_in(3)) packet.bytes = "0.0.0-000000000000" + packet.bytes.substr(packet.bytes.find(' '));
  return packet;
}

bool send_with_descriptors(int socket, const std::string& bytes, const std::vector<int>& fds, int flags) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 250)> control{};
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty() && fds.size() <= 250) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(first), fds.data(), sizeof(int) * fds.size());
  }
  return sendmsg(socket, &header, MSG_NOSIGNAL | flags) >= 0;
}

bool send_packet(int socket, const Packet& packet) {
  std::vector<int> fds;
  for (const UniqueFd& each : packet.fds) {
    if (each) fds.push_back(each.get());
  }
  pollfd entry{socket, POLLOUT, 0};
  if (poll(&entry, 1, kSilenceMs) != 1) return false;
  return send_with_descriptors(socket, packet.bytes, fds, MSG_DONTWAIT);
}

int answer_anything() {
  const Channel channel = worker_channel();
  std::ifstream words("/proc/self/cmdline");
  std::string program, role;
  std::getline(words, program, '\0');
  std::getline(words, role, '\0');
  Chance chance(seed_of_conversation(), role, 0);
  const bool engine = program.ends_with("tuner-engine");
  const Listener listener = engine              ? (role == "tune" ? Listener::tune_client : Listener::compile_client)
                            : role == "compile" ? Listener::pool
                                                : Listener::lane;
  const auto say = [&](Message message) {
    return send_packet(channel.fd(), packet_of(chance, std::move(message), chance.once_in(3)));
  };
  if (listener == Listener::lane && !chance.once_in(6)) {
    say(to_message(engine::kHello, known_device("H200")));
    say(Message{engine::kContextReady, {}, {}});
  }
  std::string ignored(70'000, '\0');
  for (int left = 40; left > 0; --left) {
    // Who waits for something that was garbled waits for a minute, as it says: that is not what is looked for.
    pollfd entry{channel.fd(), POLLIN, 0};
    if (poll(&entry, 1, kImpatienceMs) != 1 || recv(channel.fd(), ignored.data(), ignored.size(), 0) <= 0) return 0;
    for (std::size_t more = 1 + chance.below(3) / 2; more > 0; --more) {
      if (!say(plausible_message(chance, listener, {}))) return 0;
    }
    if (chance.once_in(12)) raise(static_cast<int>(chance.one_of({SIGKILL, SIGTERM})));
    if (chance.once_in(12)) return static_cast<int>(chance.below(3));
  }
  return 0;
}

int ask_engine(const std::filesystem::path& libexec) {
  setenv("TUNER_LIBEXEC", libexec.c_str(), 1);
  Chance chance(seed_of_conversation(), "client", 0);
  EngineClient client;
  CompileJob compile{subject(chance, {}), "B=64", {}};
  const CompileAnswer compiled =
      client.compile(compile, std::chrono::steady_clock::now() + std::chrono::milliseconds(500));
  std::fprintf(stderr, "compiled: %d\n", static_cast<int>(compiled.outcome));
  TuneJob job;
  job.subject = subject(chance, {});
  job.limit = std::chrono::milliseconds(300);
  auto promise = std::make_shared<std::promise<void>>();
  std::future<void> answered = promise->get_future();
  client.tune(job, [promise](TuneAnswer) { promise->set_value(); });
  // Should the engine say nothing that means anything, the client has its own patience, which is longer.
  answered.wait_for(std::chrono::seconds(1));
  return 0;
}

}  // namespace tuner::attack
