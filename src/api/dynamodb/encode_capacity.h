#pragma once

#include <optional>
#include <vector>

#include "json/json_writer.h"
#include "operations/parameters.h"

// The members ConsumedCapacity and ItemCollectionMetrics, which appear only when there is something
// to say. To be called inside the object of the response.
namespace monotable::api::dynamodb {

void EncodeConsumedCapacity(const std::optional<operations::ConsumedCapacity>& consumed,
                            json::Writer* writer);
// One entry for each table.
void EncodeConsumedCapacity(const std::vector<operations::ConsumedCapacity>& consumed,
                            json::Writer* writer);

void EncodeItemCollectionMetrics(const std::optional<operations::ItemCollectionMetrics>& metrics,
                                 json::Writer* writer);
// Grouped by table.
void EncodeItemCollectionMetrics(const std::vector<operations::ItemCollectionMetrics>& metrics,
                                 json::Writer* writer);

}  // namespace monotable::api::dynamodb
