#include "cli/backup_request.h"

#include "cli/dynamodb_client.h"
#include "deploy/document.h"

namespace monotable::cli {

Result<backup::ServerBackup> RequestBackup(const std::string& endpoint, bool with_digests) {
  TRY_ASSIGN(const deploy::Call call, OwnCallOf(endpoint));
  TRY_ASSIGN(const std::string answer,
             call("CreateServerBackup", with_digests ? R"({"Digest":true})" : "{}"));
  TRY_ASSIGN(const deploy::Document document, deploy::Document::Parse(answer));
  const auto backup = deploy::ObjectIn(document.object(), "Backup");
  if (!backup) return Error::Internal("The server's answer says nothing about a backup.");
  return backup::ReadBackup(*backup);
}

}  // namespace monotable::cli
