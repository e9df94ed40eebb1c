#pragma once

#include <string>
#include <vector>

#include "model/model.h"

// Estimates of the declared workload: request units by the rules of DynamoDB, and storage.
namespace monotable::document {

// The cost of one kind of request in the workload.
struct RequestEstimate {
  std::string what;  // getSale, create Buyer
  bool write = false;
  double per_day = 0;
  double items = 1;  // that one request is about
  double item_bytes = 0;
  double units = 0;  // of one request
  std::string how;   // what the units are made of
  // The units as design documents count them: by 4 KB for consistent reads and by 1 KB for writes,
  // without indexes and transactions, and only for the first of several writes.
  double plain_units = 0;
  bool implied = false;  // follows from a volume; the workload names no rate

  double UnitsPerDay() const { return per_day * units; }
};

// The storage that the items of one entity take.
struct StorageEstimate {
  std::string entity;
  double items_first_year = 0;
  double items_last_year = 0;
  double item_bytes = 0;
  double stored_bytes = 0;  // of one item with its index entries and the overhead of each
  int entries = 0;          // in indexes, of one item
};

struct Estimate {
  int years = 1;
  std::vector<RequestEstimate> requests;  // in the order of the file, implied ones last
  std::vector<StorageEstimate> storage;

  double UnitsPerDay(bool writes) const;
  double PlainUnitsPerDay(bool writes) const;
  double StoredBytes(bool last_year) const;
  double PlainBytes(bool last_year) const;  // the items alone
};

// The estimate is empty if the model declares no workload.
Estimate EstimateWorkload(const model::Model& model);

}  // namespace monotable::document
