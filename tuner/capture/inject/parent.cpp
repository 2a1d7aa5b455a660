#include "tuner/capture/inject/parent.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace tuner::capture {
namespace {

std::optional<ino_t> inode_of_socket(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISSOCK(status.st_mode)) return std::nullopt;
  return status.st_ino;
}

}  // namespace

std::optional<Parent> Parent::from_environment() {
  const char* const text = std::getenv(kToVariable);
  int socket = -1;
  long long begin = 0;
  if (text == nullptr || std::sscanf(text, "%d %lld", &socket, &begin) != 2) return std::nullopt;
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) return std::nullopt;
  const std::optional<ino_t> inode = inode_of_socket(socket);
  return inode ? std::optional(Parent(socket, *inode, begin)) : std::nullopt;
}

bool Parent::send(MessageKind kind, std::string_view body) const {
  if (inode_of_socket(socket_) != inode_) return false;
  MessageHead head{.kind = kind, .process = getpid()};
  iovec parts[] = {{&head, sizeof head}, {const_cast<char*>(body.data()), body.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  return sendmsg(socket_, &message, MSG_NOSIGNAL) >= 0;
}

}  // namespace tuner::capture
