#include "tuner/process/channel.hpp"
#include "tests/support/errors.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "tuner/error.hpp"
#include "tuner/process/build_id.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// None can be opened while it is there.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a message arrives with its type, body and descriptors") {
  ChannelPair pair = make_channel_pair();
  Message message{"compile", R"({"id":1})", {}};
  message.fds.push_back(memfd_from_text("the source"));
  message.fds.push_back(memfd_from_text(""));
  REQUIRE(pair.first.send(message));
  REQUIRE(pair.first.send({"next", "", {}}));
  const std::optional<Message> received = pair.second.receive();
  REQUIRE(received);
  CHECK(received->type == "compile");
  CHECK(received->body == R"({"id":1})");
  REQUIRE(received->fds.size() == 2);
  CHECK(text_from_memfd(received->fds[0].get()) == "the source");
  CHECK(text_from_memfd(received->fds[1].get()).empty());
  CHECK((fcntl(received->fds[0].get(), F_GETFD) & FD_CLOEXEC) != 0);
  const std::optional<Message> next = pair.second.receive();
  REQUIRE(next);
  CHECK(next->type == "next");
  CHECK(next->body.empty());
}

TEST_CASE("a body of any size arrives whole") {
  ChannelPair pair = make_channel_pair();
  for (const std::size_t size : {std::size_t{32 * 1024}, std::size_t{32 * 1024 + 1}, std::size_t{5'000'000}}) {
    Message message{"big", std::string(size, 'x'), {}};
    message.body.back() = '!';
    message.fds.push_back(memfd_from_text("beside it"));
    REQUIRE(pair.first.send(message));
    const std::optional<Message> received = pair.second.receive();
    REQUIRE(received);
    CHECK(received->body == message.body);
    REQUIRE(received->fds.size() == 1);
    CHECK(text_from_memfd(received->fds[0].get()) == "beside it");
  }
}

TEST_CASE("two hundred descriptors fit into one message and more are an error") {
  ChannelPair pair = make_channel_pair();
  Message message{"many", std::string(100'000, 'x'), {}};
  for (int i = 0; i < 200; ++i) message.fds.push_back(memfd_from_text(std::to_string(i)));
  REQUIRE(pair.first.send(message));
  const std::optional<Message> received = pair.second.receive();
  REQUIRE(received);
  REQUIRE(received->fds.size() == 200);
  CHECK(text_from_memfd(received->fds[199].get()) == "199");
  message.fds.push_back(memfd_from_text(""));
  message.fds.push_back(memfd_from_text(""));
  CHECK_THROWS_AS(pair.first.send(message), Error);
}

TEST_CASE("nothing to read and a closed peer are told apart") {
  ChannelPair pair = make_channel_pair();
  CHECK_FALSE(pair.first.receive());
  CHECK_FALSE(pair.first.closed());
  pair.second.send({"last words", "", {}});
  pair.second.close();
  const std::optional<Message> last = pair.first.receive();
  REQUIRE(last);
  CHECK(last->type == "last words");
  CHECK_FALSE(pair.first.receive());
  CHECK(pair.first.closed());
}

TEST_CASE("sending to a peer that is gone closes the channel without a signal") {
  ChannelPair pair = make_channel_pair();
  pair.second.close();
  CHECK_FALSE(pair.first.send({"anybody", "", {}}));
  CHECK(pair.first.closed());
  CHECK_FALSE(pair.first.send({"anybody", "", {}}));
}

TEST_CASE("waiting for a message ends at the deadline") {
  ChannelPair pair = make_channel_pair();
  const auto start = Clock::now();
  CHECK_FALSE(pair.first.receive_until(start + 30ms));
  CHECK(Clock::now() - start >= 30ms);
  CHECK_FALSE(pair.first.closed());
  pair.second.send({"here", "", {}});
  CHECK(pair.first.receive_until(start + 10s));
  pair.second.close();
  CHECK_FALSE(pair.first.receive_until(Clock::now() + 10s));
  CHECK_FALSE(pair.first.receive_wait());
}

/// A channel whose other end has sent these bytes.
Channel channel_with(const std::string& packet) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const UniqueFd other(ends[1]);
  REQUIRE(write(other.get(), packet.data(), packet.size()) == static_cast<ssize_t>(packet.size()));
  return Channel{UniqueFd(ends[0])};
}

TEST_CASE("a message of another build is refused with both builds named") {
  Channel channel = channel_with("0.0.0-fedcba hello inline\n{}");
  const std::string sentence = test::error_of(Errc::no_worker, [&] { channel.receive(); });
  CHECK(sentence.find("0.0.0-fedcba") != std::string::npos);
  CHECK(sentence.find(build_id()) != std::string::npos);
}

TEST_CASE("a packet that is no message is an error and nothing worse") {
  for (const std::string& packet : {std::string(build_id()), std::string(build_id()) + " hello", std::string("\n\n\n"),
                                    std::string(build_id()) + " \n", std::string(3, '\0')}) {
    CHECK_THROWS_AS(channel_with(packet).receive(), Error);
  }
}

TEST_CASE("a file in memory keeps its bytes and refuses changes") {
  const UniqueFd fd = memfd_from_text("fixed");
  CHECK(text_from_memfd(fd.get()) == "fixed");
  CHECK(write(fd.get(), "x", 1) < 0);
  CHECK(ftruncate(fd.get(), 0) < 0);
  CHECK(bytes_from_memfd(fd.get()).size() == 5);
}

TEST_CASE("where no descriptor is left the sentence says which limit to raise, and claims no bug") {
  ChannelPair pair = make_channel_pair();
  Message message{"compile", "", {}};
  message.fds.push_back(memfd_from_text("the source"));
  REQUIRE(pair.first.send(message));
  const auto refused = [](const auto& deed) {
    const NoMoreDescriptors limit;
    try {
      deed();
    } catch (const Error& error) {
      CHECK(error.code() == Errc::shortage);
      CHECK(
          std::string(error.what())
              .ends_with(
                  "Too many open files; raise the limit of open files (`ulimit -n`), or run fewer programs at once."));
      return true;
    }
    return false;
  };
  CHECK(refused([] { memfd_from_text("one more"); }));
  CHECK(refused([] { make_channel_pair(); }));
  CHECK(refused([&] { pair.second.receive(); }));
}

TEST_CASE("a descriptor is closed exactly once") {
  UniqueFd first = memfd_from_text("x");
  const int number = first.get();
  UniqueFd second = std::move(first);
  CHECK_FALSE(first);  // NOLINT: moved from on purpose
  CHECK(second.get() == number);
  CHECK(fcntl(number, F_GETFD) >= 0);
  second.reset();
  CHECK(fcntl(number, F_GETFD) < 0);
}
