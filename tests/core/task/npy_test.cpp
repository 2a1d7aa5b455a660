#include "tuner/core/task/npy.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/attack/text_damage.hpp"
#include "tests/core/support.hpp"
#include "tests/core/task/npy_file.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

NpyHeader parse(const std::string& text) {
  return parse_npy_header(text, "x.npy");
}

std::string refusal(const std::string& text) {
  return error_of([&] { parse(text); });
}

}  // namespace

TEST_CASE("headers of all three versions say type, shape and where the data begins") {
  for (const int version : {1, 2, 3}) {
    const NpyHeader header = parse(npy("<f4", "(480, 640)", "", version));
    CHECK(header.type == ElementType::float32);
    CHECK(header.shape == std::vector<std::uint64_t>{480, 640});
    CHECK(header.elements == 480 * 640);
    CHECK(header.offset % 64 == 0);
  }
  CHECK(parse(npy("<f8", "()", "")).elements == 1);
  CHECK(parse(npy("<f8", "(7,)", "")).elements == 7);
  CHECK(parse(npy("<f8", "(3, 0)", "")).elements == 0);
  // As Python 2 wrote it, with other quotes and order.
  const NpyHeader old = parse(npy_with_header("{\"shape\":(3L,4L,),\"fortran_order\":False,\"descr\":\"<i2\"}", ""));
  CHECK(old.type == ElementType::int16);
  CHECK(old.elements == 12);
}

TEST_CASE("every element type has its dtype") {
  const std::pair<const char*, ElementType> types[] = {
      {"|b1", ElementType::boolean}, {"|i1", ElementType::int8},     {"|u1", ElementType::uint8},
      {"<i2", ElementType::int16},   {"<u2", ElementType::uint16},   {"<i4", ElementType::int32},
      {"<u4", ElementType::uint32},  {"<i8", ElementType::int64},    {"<u8", ElementType::uint64},
      {"<f2", ElementType::float16}, {"<V2", ElementType::bfloat16}, {"<f4", ElementType::float32},
      {"<f8", ElementType::float64}, {"|V2", ElementType::bfloat16}};
  for (const auto& [text, type] : types) CHECK(parse(npy(text, "(2,)", "")).type == type);
}

TEST_CASE("what cannot be read is refused with what to do") {
  CHECK(refusal("PK\x03\x04 an archive") ==
        "x.npy is not a NumPy file: it does not begin as one; write it with numpy.save.");
  CHECK(refusal("") == "x.npy is not a NumPy file: it does not begin as one; write it with numpy.save.");
  CHECK(refusal(npy(">f4", "(2,)", "")) == "x.npy is big-endian (dtype >f4); save array.astype('<f4').");
  CHECK(refusal(npy("<c8", "(2,)", "")) == "x.npy has the dtype <c8, which is not an element type of a kernel.");
  CHECK(refusal(npy("|O", "(2,)", "")) == "x.npy has the dtype |O, which is not an element type of a kernel.");
  CHECK(refusal(npy_with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", "")) ==
        "x.npy holds records of several fields; save one field of them, as in numpy.save(name, array['field']).");
  CHECK(refusal(npy_with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", "")) ==
        "x.npy is in Fortran order; save numpy.ascontiguousarray(…) of the array, which is in C order.");
  CHECK(refusal(npy("<f4", "(4294967296, 4294967296)", "")) ==
        "x.npy has the shape (4294967296, 4294967296), more than any memory holds.");
  CHECK(contains(refusal(npy("<f4", "(99999999999999999999999999999,)", "")), "more than any memory"));
  CHECK(refusal(npy("<f4", "(2,)", "", 4)) == "x.npy has version 4 of the NumPy format; 1, 2 and 3 can be read.");
}

TEST_CASE("the order of an array with one long dimension does not matter") {
  CHECK(parse(npy_with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 5), }", "")).elements == 5);
}

TEST_CASE("damaged headers are called so") {
  const std::string good = npy("<f4", "(2, 3)", "");
  for (const std::size_t length : {7, 9, 20, 60}) {
    CHECK(refusal(good.substr(0, length)) == "x.npy is damaged: it ends within its header.");
  }
  CHECK(refusal(npy_with_header("{'descr': '<f4', 'shape': (2,), }", "")) ==
        "x.npy is damaged: its header cannot be read (descr, fortran_order or shape is missing); save it again with "
        "numpy.save.");
  CHECK(contains(refusal(npy("<f4", "(2, -3)", "")), "a number is expected at byte"));
  std::string long_one = npy("<f4", "(2,)", "", 2);
  long_one[11] = '\x7f';
  CHECK(contains(refusal(long_one), "it claims a header of 2130"));
}

TEST_CASE("mutated headers are read or refused, and nothing else happens") {
  attack::Chance chance(20, "npy", 0);
  const std::vector<std::string> seeds{npy("<f4", "(480, 640, 4)", ""), npy("|b1", "()", "", 2),
                                       npy_with_header("{'shape':(3L,),'descr':\"<V2\",'fortran_order':True}", "")};
  const char* const pieces[] = {"'",  "\"", "(",   ")", "{", "}", ",", ":", "True", "9999999999999",
                                "\\", "[",  "<f4", "L"};
  int read = 0, refused = 0;
  while (read + refused < 20'000) {
    const std::string text = attack::damage_text(chance, chance.one_of(seeds), pieces);
    try {
      const NpyHeader header = parse(text);
      CHECK(header.offset <= text.size());
      ++read;
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_description);
      CHECK(std::string_view(error.what()).starts_with("x.npy "));
      ++refused;
    }
  }
  CHECK(read > 10);
  CHECK(refused > 100);
}

TEST_CASE("a file must hold all the data that its header announces") {
  const TemporaryFolder folder;
  const auto whole = folder.write("whole.npy", npy("<f4", "(3,)", bytes_of<float>({1, 2, 3})));
  CHECK(read_npy_header(whole).elements == 3);
  const auto cut = folder.write("cut off.npy", npy("<f4", "(3,)", bytes_of<float>({1, 2})));
  CHECK(error_of([&] { read_npy_header(cut); }) ==
        cut.string() + " is truncated: its header announces 12 bytes of data, but only 8 follow.");
  CHECK(error_of([&] { read_npy_header(folder.path() / "no.npy"); }) ==
        (folder.path() / "no.npy").string() +
            " does not exist; a relative name starts at the folder of the kernel file.");
  CHECK(error_of([&] { read_npy_header(folder.path()); }) ==
        folder.path().string() + " is not a regular file; name a file written with numpy.save.");
  const auto pipe = folder.path() / "pipe.npy";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(contains(error_of([&] { read_npy_header(pipe); }), "is not a regular file"));
}
