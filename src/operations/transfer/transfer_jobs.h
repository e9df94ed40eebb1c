#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/jobs.h"
#include "error/result.h"
#include "operations/transfer/transfer.h"
#include "operations/transfer/transfer_record.h"

// Finding exports and imports among the jobs.
namespace monotable::operations {

// How long a client token is known, and a transfer listed.
inline constexpr int64_t kClientTokenLifeMs = 8 * 3'600'000;
inline constexpr int64_t kListedMs = 90LL * 24 * 3'600'000;

// The id at the end of an ARN, after "/export/" or "/import/"; empty if there is none.
std::string_view TransferIdOf(std::string_view arn, std::string_view infix);

// A place in a list, as clients carry it: the id of the last job they got. Of the length and the
// alphabet that the service's model asks of the tokens of ListImports.
std::string EncodeListToken(std::string_view id);
Result<std::string> DecodeListToken(std::string_view token);

template <typename Description>
using ReadTransfer = Result<Description> (*)(const engine::Job& job);

// The transfer of a kind that was begun with a token that is still known.
template <typename Description>
Result<std::optional<Description>> FindByToken(engine::Engine& engine, engine::JobKind kind,
                                               const std::optional<std::string>& token,
                                               ReadTransfer<Description> read) {
  if (!token) return std::optional<Description>();
  const int64_t now_ms = engine.clock().NowMs();
  TRY_ASSIGN(const std::vector<engine::Job> jobs, engine.jobs().List(kind));
  for (const engine::Job& job : jobs) {
    TRY_ASSIGN(Description transfer, read(job));
    if (transfer.client_token == token && now_ms - transfer.started_at_ms < kClientTokenLifeMs) {
      return std::optional(std::move(transfer));
    }
  }
  return std::optional<Description>();
}

// One page of the transfers of a kind, newest first.
template <typename Description>
Result<std::pair<std::vector<Description>, std::optional<std::string>>> ListPage(
    engine::Engine& engine, engine::JobKind kind, const ListTransfersRequest& request,
    ReadTransfer<Description> read) {
  constexpr int64_t kPageSize = 25;
  const auto limit = static_cast<size_t>(request.limit.value_or(kPageSize));
  std::optional<std::string> before;
  if (request.next_token) {
    TRY_ASSIGN(before, DecodeListToken(*request.next_token));
  }
  std::optional<std::string> table_arn;
  if (request.table_arn) {
    table_arn = engine.TableArn(engine::Engine::TableNameOf(*request.table_arn));
  }
  const int64_t since_ms = engine.clock().NowMs() - kListedMs;
  TRY_ASSIGN(const std::vector<engine::Job> jobs, engine.jobs().List(kind));
  std::pair<std::vector<Description>, std::optional<std::string>> page;
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
    if (before && job->id >= *before) continue;
    TRY_ASSIGN(Description transfer, read(*job));
    if (table_arn && transfer.table_arn != *table_arn) continue;
    if (transfer.started_at_ms < since_ms) break;
    if (page.first.size() == limit) {
      page.second = EncodeListToken(page.first.back().id);
      break;
    }
    page.first.push_back(std::move(transfer));
  }
  return page;
}

}  // namespace monotable::operations
