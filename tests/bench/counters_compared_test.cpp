#include "bench/kernels/counters_compared.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "bench/kernels/ncu_csv.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/counters/counters.hpp"

using namespace tuner;
using namespace tuner::bench;

namespace {

const std::string kCounted(counter::kInstructions);
const std::string kRate(counter::kL2HitRate);

}  // namespace

TEST_CASE("instructions and requests must be equal in every run, and other counters lie within the spread") {
  CHECK(must_be_equal(kCounted));
  CHECK(must_be_equal(std::string(counter::kLocalStores)));
  CHECK(must_be_equal(std::string(counter::kGlobalLoadRequests)));
  CHECK_FALSE(must_be_equal(std::string(counter::kThreadsPerInstruction)));
  CHECK_FALSE(must_be_equal(std::string(counter::kL2AtomicSectors)));

  CHECK(compare_counts(kCounted, {{7, 7}}, {{7, 7}}) == Agreement::equal);
  CHECK(compare_counts(kCounted, {{7, 8}}, {{7, 7}}) == Agreement::different);
  CHECK(compare_counts(kCounted, {{8, 8}}, {{7, 7}}) == Agreement::different);
  CHECK(compare_counts(kCounted, {}, {{7, 7}}) == Agreement::different);
  CHECK(compare_counts(kCounted, {{8, 8}}, {{7, 9}}) == Agreement::within);  // ncu's own runs differ
  CHECK(compare_counts(kRate, {{50, 51, 90}}, {{50.5, 51.5}}) == Agreement::within);
  CHECK(compare_counts(kRate, {{50, 52, 90}}, {{50.5, 51.5}}) == Agreement::outside);
  CHECK(compare_counts(kRate, {{51.505}}, {{50.5, 51.5}, 0.01}) == Agreement::within);
  CHECK(compare_counts(kRate, {}, {}) == Agreement::missing);
}

TEST_CASE("ncu's runs are held against each other") {
  const auto among = [](const std::vector<Counted>& runs) {
    const RunsAmongOthers found = runs_among_others(runs);
    return std::to_string(found.among) + " of " + std::to_string(found.compared);
  };
  const Counted fifty{{50}}, about_fifty{{50.005}, 0.01};
  CHECK(among({{{50, 54}}, {{51, 52}}, {{53}}}) == "2 of 3");  // the median of the first is 54
  CHECK(among({fifty, {{51}}, {{51.5}}}) == "1 of 3");
  CHECK(among({fifty, fifty}) == "2 of 2");
  CHECK(among({fifty, about_fifty}) == "2 of 2");
  CHECK(among({{{7, 7, 8}}, {{7}}, {{7}}}) == "3 of 3");
  CHECK(among({fifty, {}, fifty}) == "2 of 2");
  CHECK(among({fifty}) == "0 of 0");
  CHECK(among({}) == "0 of 0");
}

TEST_CASE("what ncu prints around its table, and how it prints numbers, does not matter") {
  const test::TemporaryFolder folder;
  const auto csv = folder / "out.csv";
  std::ofstream(csv) << "==PROF== Connected to process 7\n12.34 us\n"
                        "\"ID\",\"Kernel Name\",\"a.sum\",\"b.pct\"\n\"\",\"\",\"\",\"%\"\n"
                        "\"0\",\"k(int, int)\",\"1\",\"2\"\n12.34 us\n"
                        "\"1\",\"k(int, int)\",\"1,234,567\",\"12.50\"\n";
  const NcuTable table = read_ncu_csv(csv);
  CHECK(table.complaint.empty());
  REQUIRE(table.rows.size() == 2);
  const NcuRow& row = table.rows.back();
  CHECK(ncu_number(row.at("a.sum")) == 1234567.0);
  CHECK(ncu_precision(row.at("a.sum")) == 0);
  CHECK(ncu_number(row.at("b.pct")) == 12.5);
  CHECK(ncu_precision(row.at("b.pct")) == doctest::Approx(0.01));
  CHECK_FALSE(ncu_number(row.at("Kernel Name")));
  std::ofstream(csv) << "\"a.sum\"\n\"\"\n";
  CHECK(read_ncu_csv(csv).rows.empty());
  CHECK(read_ncu_csv(csv).complaint == "it looked at no kernel of this name");
  std::ofstream(csv) << "==ERROR== ERR_NVGPUCTRPERM - no permission\n";
  CHECK(read_ncu_csv(csv).complaint.find("ERR_NVGPUCTRPERM") != std::string::npos);
  CHECK(read_ncu_csv(folder / "none.csv").complaint == "the profiler said nothing");
}
