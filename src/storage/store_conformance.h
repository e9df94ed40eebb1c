#pragma once

#include "storage/store_conformance_bulk_writes.h"
#include "storage/store_conformance_data.h"
#include "storage/store_conformance_fixture.h"
#include "storage/store_conformance_large.h"
#include "storage/store_conformance_ranges.h"
#include "storage/store_conformance_updates.h"

// What every store must do, whatever it keeps its data in. A test file of a store names a
// StoreMaker and instantiates the suites:
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(...));
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreBulkWrites, testing::Values(...));
namespace monotable::storage {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreConformance);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreBulkWrites);

}  // namespace monotable::storage
