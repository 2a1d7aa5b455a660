#include "tuner/core/task/input_file.hpp"

#include <doctest/doctest.h>

#include "cache/file/hash.hpp"
#include "tests/core/task/filter_kernel.hpp"
#include "tests/core/task/npy_file.hpp"
#include "tuner/core/task/describe.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

std::string four_floats(float last = 4) {
  return npy("<f4", "(4,)", bytes_of<float>({1, 2, 3, last}));
}

}  // namespace

TEST_CASE("the data of an argument is found beside the kernel file and read as it is") {
  const TemporaryFolder folder;
  folder.write("four of \"them\".npy", four_floats());
  const Task task = filter_task(folder, "in(x, float, n, file(\"four of \\\"them\\\".npy\"))");
  CHECK_FALSE(task.arguments()[1].file->bytes != 0);
  const DataFile& data = *task.arguments_with_data()[1].file;
  CHECK(data.bytes == 16);
  CHECK(data.hash.text.size() == 32);
  const std::vector<std::byte> bytes = read_data(data);
  CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == bytes_of<float>({1, 2, 3, 4}));
  const std::string text = to_text(task);
  CHECK(contains(text, "in(x, float, n, file(\"four of \\\"them\\\".npy\"))"));
  CHECK(contains(
      text, "// argument  x float32[4] from " + folder.path().string() + "/four of \"them\".npy (" + data.hash.text));
}

TEST_CASE("vectors are a last dimension, or numbers one after the other") {
  const TemporaryFolder folder;
  folder.write("lanes.npy", npy("<f4", "(2, 4)", std::string(32, 'x')));
  folder.write("flat.npy", npy("<f4", "(8,)", std::string(32, 'x')));
  folder.write("turned.npy", npy("<f4", "(4, 2)", std::string(32, 'x')));
  CHECK(filter_task(folder, "in(x, float4, n, file(\"lanes.npy\"))", 2).arguments_with_data()[1].file->bytes == 32);
  CHECK(filter_task(folder, "in(x, float4, n, file('flat.npy'))", 2).arguments_with_data()[1].file->bytes == 32);
  CHECK(refusal(folder, "in(x, float4, n, file(\"turned.npy\"))", 2) ==
        "filter.cu:4: the content of `x`: turned.npy has the shape (4, 2), but its last dimension must be the 4 lanes "
        "of `x`.");
}

TEST_CASE("data that does not belong to the problem is refused with the place and both numbers") {
  const TemporaryFolder folder;
  folder.write("x.npy", four_floats());
  folder.write("cut.npy", four_floats().substr(0, 130));
  CHECK(refusal(folder, "in(x, float, n, file(\"x.npy\"))") == "no error");
  CHECK(refusal(folder, "in(x, float, n, file(\"x.npy\"))", 1000000) ==
        "filter.cu:4: the content of `x`: x.npy contains 4 numbers (shape (4,)), but `x` has 1,000,000 elements for "
        "this problem; choose the problem that the file belongs to.");
  CHECK(refusal(folder, "inout(x, double, n, file(\"x.npy\"))") ==
        "filter.cu:4: the content of `x`: x.npy contains float32, but `x` is float64; convert one of them.");
  CHECK(refusal(folder, "in(x, float4, n, file(\"x.npy\"))") ==
        "filter.cu:4: the content of `x`: x.npy contains 4 numbers (shape (4,)), but `x` has 4 elements of 4 numbers "
        "each for this problem; choose the problem that the file belongs to.");
  CHECK(refusal(folder, "constant(x, float, n, file(\"none.npy\"))") ==
        "filter.cu:4: the content of `x`: none.npy does not exist; a relative name starts at the folder of the kernel "
        "file.");
  CHECK(refusal(folder, "in(x, float, n, file(\"cut.npy\"))") ==
        "filter.cu:4: the content of `x`: cut.npy is truncated: its header announces 16 bytes of data, but only 2 "
        "follow.");
  const std::string described = to_text(filter_task(folder, "in(x, float, n, file(\"none.npy\"))"));
  CHECK(contains(described, "// no data   filter.cu:4: the content of `x`: "));
}

TEST_CASE("trials are reused for the same data, whatever its file is called") {
  const TemporaryFolder folder;
  folder.write("a.npy", four_floats());
  folder.write("b.npy", four_floats());
  folder.write("c.npy", four_floats(5));
  const auto hash = [&](const std::string& argument) { return filter_task(folder, argument).reuse_hash(); };
  CHECK(hash("in(x, float, n, file(\"a.npy\"))") == hash("in(x, float, n, file(\"b.npy\"))"));
  CHECK(hash("in(x, float, n, file(\"a.npy\"))") != hash("in(x, float, n, file(\"c.npy\"))"));
  CHECK(hash("in(x, float, n, file(\"a.npy\"))") != hash("in(x, float, n)"));
  CHECK(hash("constant(x, float, n, file(\"a.npy\"))") != hash("in(x, float, n, file(\"a.npy\"))"));
}

TEST_CASE("data that is changed after it was looked at is not used") {
  const TemporaryFolder folder;
  folder.write("x.npy", four_floats());
  const Task task = filter_task(folder, "in(x, float, n, file(\"x.npy\"))");
  const DataFile data = *task.arguments_with_data()[1].file;
  folder.write("x.npy", four_floats(5));
  CHECK(error_of([&] { read_data(data); }) ==
        data.path.string() + " was changed while it was in use; start again, and do not change it until the end.");
  folder.write("x.npy", four_floats().substr(0, 130));
  CHECK(error_of([&] { read_data(data); }) == data.path.string() + " became shorter while it was read.");
}

TEST_CASE("a file that nobody has looked at is refused, and not taken for an empty one") {
  const TemporaryFolder folder;
  folder.write("x.npy", four_floats());
  const Task task = filter_task(folder, "in(x, float, n, file(\"x.npy\"))");
  const DataFile data = *task.arguments()[1].file;
  CHECK(error_of([&] { read_data(data); }) ==
        data.path.string() + " was to be read before it was examined; report this.");
}

TEST_CASE("data of more than one piece is read whole, and its hash is that of all of it") {
  const TemporaryFolder folder;
  std::string content((5 << 20) + 12, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 2654435761u >> 13);
  folder.write("x.npy", npy("|u1", "(" + std::to_string(content.size()) + ",)", content));
  const Task task = filter_task(folder, "in(x, uint8, n, file(\"x.npy\"))", static_cast<std::int64_t>(content.size()));
  const DataFile& data = *task.arguments_with_data()[1].file;
  CHECK(data.hash == cache::content_hash(content));
  std::string found;
  int pieces = 0;
  read_data(data, [&](std::span<const std::byte> piece) {
    found.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    ++pieces;
  });
  CHECK(found == content);
  CHECK(pieces == 2);
}
