#include "tuner/capture/inject/parent.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tuner::capture {

std::optional<Parent> Parent::from_environment() {
  const char* const text = std::getenv(kToVariable);
  unsigned long long inode = 0;
  long long begin = 0, patience = 0;
  Parent parent;
  if (text == nullptr || std::sscanf(text, "%d %llu %lld %lld", &parent.socket_, &inode, &begin, &patience) != 4)
    return std::nullopt;
  parent.inode_ = inode;
  parent.begin_ = begin;
  parent.patience_ = std::chrono::milliseconds(patience);
  return parent.is_there() ? std::optional(parent) : std::nullopt;
}

bool Parent::is_there() const {
  struct stat status {};
  return fstat(socket_, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode_;
}

bool Parent::send(MessageKind kind, std::string_view body, std::initializer_list<int> descriptors) const {
  if (!is_there()) return false;
  MessageHead head{.kind = kind, .process = getpid()};
  iovec parts[] = {{&head, sizeof head}, {const_cast<char*>(body.data()), body.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  if (descriptors.size() > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(part), descriptors.begin(), descriptors.size() * sizeof(int));
  }
  return sendmsg(socket_, &message, MSG_NOSIGNAL) >= 0;
}

}  // namespace tuner::capture
