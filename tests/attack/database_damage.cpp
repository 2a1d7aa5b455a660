// What befalls a database without SQLite: bits, pages, headers, journals, and what lies there instead of it.
#include "tests/attack/database_damage.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "tests/attack/sandbox.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPage = 4096;

std::string hex(std::size_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%zx", number);
  return text;
}

std::string random_bytes(Chance& chance, std::size_t count) {
  std::string bytes(count, '\0');
  std::generate(bytes.begin(), bytes.end(), [&] { return chance.byte(); });
  return bytes;
}

std::string flip_bits(Chance& chance, std::string& bytes) {
  std::string said = "bits flipped at";
  // Headers of the file and of pages decide more than what is in the middle.
  for (std::size_t left = 1 + chance.below(8); left > 0; --left) {
    const std::size_t page = chance.below(std::max<std::size_t>(bytes.size() / kPage, 1)) * kPage;
    std::size_t at = chance.once_in(4) ? chance.below(100) : chance.below(bytes.size());
    if (chance.once_in(4)) at = page + chance.below(64);
    if (at >= bytes.size()) continue;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << chance.below(8)));
    said += " " + hex(at);
  }
  return said;
}

std::string overwrite_run(Chance& chance, std::string& bytes) {
  const std::size_t at = chance.below(bytes.size());
  const std::size_t length = std::min(bytes.size() - at, std::size_t{1} << chance.below(14));
  const std::size_t kind = chance.below(4);
  for (std::size_t i = 0; i < length; ++i)
    bytes[at + i] = kind == 0 ? '\0' : kind == 1 ? '\xff' : kind == 2 ? chance.byte() : "FORGED-LINE\n"[i % 12];
  return std::to_string(length) + " bytes overwritten at " + hex(at);
}

std::string move_page(Chance& chance, std::string& bytes) {
  const std::size_t pages = bytes.size() / kPage;
  if (pages < 2) return "nothing";
  const std::size_t from = chance.below(pages);
  const std::size_t to = chance.below(pages);
  const std::string page = bytes.substr(from * kPage, kPage);
  if (chance.once_in(2)) bytes.replace(from * kPage, kPage, bytes.substr(to * kPage, kPage));
  bytes.replace(to * kPage, kPage, page);
  return "page " + std::to_string(from) + " moved to " + std::to_string(to);
}

std::string change_length(Chance& chance, std::string& bytes) {
  const std::size_t before = bytes.size();
  const std::size_t kind = chance.below(4);
  if (kind == 0) bytes.resize(chance.below(before));
  if (kind == 1) bytes.resize(before / kPage * kPage - std::min(before, kPage * chance.below(before / kPage + 1)));
  if (kind == 2) bytes.resize(chance.below(200));
  if (kind == 3) bytes.append(1 + chance.below(3 * kPage), chance.byte());
  return "from " + std::to_string(before) + " to " + std::to_string(bytes.size()) + " bytes";
}

/// A field of the header of 100 bytes, or of a page, with a number that means something there.
std::string set_header_field(Chance& chance, std::string& bytes) {
  static constexpr std::array<std::size_t, 24> kFields{16, 18, 19, 20, 21, 22, 23, 24, 28, 32, 36, 40,
                                                       44, 47, 48, 52, 56, 59, 60, 63, 64, 68, 92, 96};
  static constexpr std::array<unsigned char, 16> kValues{0, 1, 2, 3, 4, 5, 8, 10, 13, 16, 32, 64, 65, 127, 128, 255};
  std::string said = "header";
  for (std::size_t left = 1 + chance.below(3); left > 0; --left) {
    const std::size_t at =
        chance.once_in(4) ? chance.below(bytes.size() / kPage + 1) * kPage + 100 * chance.below(2) + chance.below(12)
                          : chance.one_of(kFields);
    if (at >= bytes.size()) continue;
    bytes[at] = static_cast<char>(chance.one_of(kValues));
    said += " byte " + std::to_string(at) + " is " + std::to_string(static_cast<unsigned char>(bytes[at]));
  }
  return said;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

/// A rollback journal that ends in the name of a super-journal, as SQLite writes it.
std::string journal(Chance& chance, const std::string& database, const std::string& super_journal) {
  std::string bytes = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const std::uint32_t records = static_cast<std::uint32_t>(chance.below(3));
  const std::uint32_t nonce = static_cast<std::uint32_t>(chance.bits());
  const auto pages = static_cast<std::uint32_t>(database.size() / kPage);
  bytes += big_endian(records) + big_endian(nonce) + big_endian(chance.once_in(4) ? pages / 2 : pages) +
           big_endian(512) + big_endian(kPage);
  bytes.resize(512);
  for (std::uint32_t record = 0; record < records && pages > 0; ++record) {
    const std::size_t page = chance.below(pages);
    std::string old = database.substr(page * kPage, kPage);
    if (chance.once_in(2)) old[chance.below(kPage)] = chance.byte();
    std::uint32_t sum = nonce;
    for (int at = static_cast<int>(kPage) - 200; at > 0; at -= 200)
      sum += static_cast<unsigned char>(old[static_cast<std::size_t>(at)]);
    bytes += big_endian(static_cast<std::uint32_t>(page + 1)) + old + big_endian(sum);
  }
  if (super_journal.empty()) return bytes;
  std::uint32_t sum = 0;
  for (const char c : super_journal) sum += static_cast<std::uint32_t>(static_cast<signed char>(c));
  return bytes + big_endian(0x40000000 / kPage + 1) + super_journal +
         big_endian(static_cast<std::uint32_t>(super_journal.size())) + big_endian(sum) +
         "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
}

}  // namespace

std::string damage_bytes(Chance& chance, const Target& target) {
  static constexpr auto kKinds = {flip_bits, flip_bits,     flip_bits,        overwrite_run,
                                  move_page, change_length, set_header_field, set_header_field};
  std::string bytes = read_bytes(target.file);
  if (bytes.empty()) return "nothing";
  const std::string said = std::data(kKinds)[chance.below(kKinds.size())](chance, bytes);
  write_bytes(target.file, bytes);
  return said;
}

std::string add_journal(Chance& chance, const Target& target) {
  const std::string name = target.file.string();
  const std::string outside = (target.outside / "super-journal").string();
  switch (chance.below(7)) {
    case 0:
    case 1:
      write_bytes(name + "-journal", journal(chance, read_bytes(name), outside));
      return "a hot journal that names a super-journal";
    case 2:
      write_bytes(name + "-journal", journal(chance, read_bytes(name), ""));
      return "a hot journal";
    case 3: {
      std::string bytes = journal(chance, read_bytes(name), outside);
      flip_bits(chance, bytes);
      write_bytes(name + "-journal", bytes);
      return "a hot journal with flipped bits";
    }
    case 4:
      write_bytes(name + (chance.once_in(2) ? "-wal" : "-journal"), random_bytes(chance, 1 + chance.below(9000)));
      return "a journal or log of random bytes";
    case 5: {
      const std::string beside = name + (chance.once_in(2) ? "-journal" : "-wal");
      fs::remove(beside);  // an earlier damage of the same case
      fs::create_symlink(target.outside / "letter.txt", beside);
      return "a journal that is a link to another file";
    }
    default: {
      // The file says that it has a log, and there is one.
      std::string bytes = read_bytes(name);
      if (bytes.size() > 20) bytes[18] = bytes[19] = 2;
      write_bytes(name, bytes);
      write_bytes(name + "-wal", "\x37\x7f\x06\x82" + std::string(chance.below(5000), chance.byte()));
      write_bytes(name + "-shm", std::string(chance.below(40000), chance.byte()));
      return "a log beside a file that has one";
    }
  }
}

std::string replace_file(Chance& chance, const Target& target) {
  const std::size_t kind = chance.below(7);
  if (kind == 6) {
    chmod(target.file.c_str(), static_cast<mode_t>(chance.one_of({0400, 0444, 0600, 0666, 0777})));
    return "other rights";
  }
  fs::remove(target.file);
  switch (kind) {
    case 0:
      fs::create_symlink(target.outside / "notes.db", target.file);
      return "a link to another file";
    case 1:
      fs::create_symlink("/dev/zero", target.file);
      return "a link to a device";
    case 2:
      if (mkfifo(target.file.c_str(), 0600) != 0) return "nothing";
      return "a FIFO";
    case 3:
      fs::create_directory(target.file);
      return "a folder";
    case 4:
      fs::create_hard_link(target.outside / "notes.db", target.file);
      return "another name of another file";
    default: {
      const std::string bytes = random_bytes(chance, chance.below(3 * kPage));
      write_bytes(target.file, chance.once_in(2) ? bytes : std::string("SQLite format 3\0", 16) + bytes);
      return "random bytes";
    }
  }
}

std::string damage_database(Chance& chance, const Target& target) {
  const std::size_t kind = chance.below(100);
  if (kind < 45) return damage_bytes(chance, target);
  if (kind < 72) return damage_rows(chance, target);
  if (kind < 85) return damage_schema(chance, target);
  if (kind < 95) return add_journal(chance, target);
  return replace_file(chance, target);
}

}  // namespace tuner::attack
