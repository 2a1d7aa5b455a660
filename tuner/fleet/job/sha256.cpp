#include "tuner/fleet/job/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tuner::fleet {
namespace {

constexpr std::size_t kBlock = 64;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, in the standard's words.
constexpr std::array<std::uint32_t, 64> kConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class Digest {
 public:
  void add_block(std::string_view block) {
    std::array<std::uint32_t, 64> words{};
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t byte = 0; byte < 4; ++byte) {
        words[i] = words[i] << 8 | static_cast<unsigned char>(block[4 * i + byte]);
      }
    }
    for (std::size_t i = 16; i < words.size(); ++i) {
      const std::uint32_t early = words[i - 15], late = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) + words[i - 7] +
                 (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
    }
    std::array<std::uint32_t, 8> s = state_;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t first =
          s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) + chosen + kConstants[i] + words[i];
      const std::uint32_t second = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
      std::copy_backward(s.begin(), s.end() - 1, s.end());
      s[4] += first;
      s[0] = first + second;
    }
    for (std::size_t i = 0; i < s.size(); ++i) state_[i] += s[i];
  }

  std::string bytes() const {
    std::string text;
    for (const std::uint32_t word : state_) text += big_endian(word, 4);
    return text;
  }

  static std::string big_endian(std::uint64_t number, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xff);
    return text;
  }

 private:
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest digest;
  std::string_view rest = bytes;
  for (; rest.size() >= kBlock; rest.remove_prefix(kBlock)) digest.add_block(rest);
  // Behind the text a bit that is set, zeros, and its length in bits at the end of a block.
  std::string last(rest);
  last += '\x80';
  last.append((2 * kBlock - 8 - last.size()) % kBlock, '\0');
  last += Digest::big_endian(8 * static_cast<std::uint64_t>(bytes.size()), 8);
  for (std::string_view block = last; !block.empty(); block.remove_prefix(kBlock)) digest.add_block(block);
  return digest.bytes();
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace tuner::fleet
