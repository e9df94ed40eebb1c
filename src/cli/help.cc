#include "cli/help.h"

#include <string_view>

#include <fmt/format.h>

#include "server/settings.h"
#include "server/version.h"

namespace monotable::cli {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kIndent = 6;

// Breaks a text into lines of the width of a terminal, indented.
std::string Wrap(std::string_view text) {
  std::string lines;
  std::string line;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && kIndent + line.size() + 1 + word.size() > kWidth) {
      lines += fmt::format("{:{}}{}\n", "", kIndent, line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  return lines + fmt::format("{:{}}{}\n", "", kIndent, line);
}

std::string Describe(const server::Setting& setting) {
  std::string text(setting.help);
  const std::string value = setting.show(server::Config());
  if (!value.empty() && !setting.is_switch()) text += fmt::format(" Default: {}.", value);
  return fmt::format("  --{}{}{}\n{}", setting.name, setting.is_switch() ? "" : " ", setting.value,
                     Wrap(text));
}

}  // namespace

std::string GeneralHelp() {
  return fmt::format(R"(Monotable {}: a database server that speaks the DynamoDB protocol.

Usage:
  monotable serve [options]    Serve tables; see monotable serve --help.
  monotable model COMMAND      Check, document, cost, compare and deploy table
                               designs; see monotable model --help.
  monotable backup COMMAND     Back up a whole server, verify, restore and try out
                               its backups; see monotable backup --help.
  monotable ttl [TABLE]        Print how many items are about to expire; see
                               monotable ttl --help.
  monotable version            Print the version.
  monotable --help             Print this.

Start a server and talk to it, with any credentials on this machine:
  monotable serve --data ./monotable-data
  aws dynamodb list-tables --region us-east-1 --endpoint-url http://127.0.0.1:8000
)",
                     server::kVersion);
}

std::string ServeHelp() {
  std::string text = R"(Serves tables over the DynamoDB protocol until it gets SIGTERM or SIGINT.

Usage: monotable serve [options]
)";
  std::string_view group;
  for (const server::Setting& setting : server::Settings()) {
    if (setting.group != group) {
      group = setting.group;
      text += fmt::format("\n{}\n", group);
    }
    text += Describe(setting);
  }
  return text + R"(
Where settings come from
  --config FILE
      A file of lines such as `port = 9000`, with the names above without their
      dashes in front; # begins a comment.
  Every option is also an environment variable: --max-body-mb is
  MONOTABLE_MAX_BODY_MB, --in-memory is MONOTABLE_IN_MEMORY=true, and --config is
  MONOTABLE_CONFIG. The command line wins over the environment, the environment
  over the file.

Examples
  A server for a test, on a free port, that forgets everything:
    monotable serve --in-memory --port 0

  A server for this machine, and a table in it:
    monotable serve --data ./monotable-data
    aws dynamodb create-table --endpoint-url http://127.0.0.1:8000 \
      --table-name Music --billing-mode PAY_PER_REQUEST \
      --attribute-definitions AttributeName=Artist,AttributeType=S \
      --key-schema AttributeName=Artist,KeyType=HASH
    aws dynamodb put-item --endpoint-url http://127.0.0.1:8000 \
      --table-name Music --item '{"Artist": {"S": "Nina Simone"}}'
    aws dynamodb scan --endpoint-url http://127.0.0.1:8000 --table-name Music

  A server of a model, with its tables and sample items:
    monotable serve --in-memory --model models/sales.model.yaml --samples

  A server that makes a backup every day and keeps those of two weeks:
    monotable serve --data ./monotable-data --backup-every 24h --backup-keep 14

  A server for other machines, with an access key:
    MONOTABLE_ACCESS_KEY_ID=AKIDEXAMPLE MONOTABLE_SECRET_ACCESS_KEY=... \
      monotable serve --host 0.0.0.0
)";
}

std::string ModelHelp() {
  return R"(Works on model files: single-table designs with their keys, rules and access
patterns.

Usage:
  monotable model check FILE... [--format text|json] [--strict]
      Says what is wrong with designs, with line and column: mistakes in the file,
      access patterns that no key serves, keys that collide, hot partitions and
      more. Ends with 0 if all is well, 1 if there are errors, and 2 if a file
      cannot be read. With --strict, warnings count as errors.

  monotable model docs FILE [--out FILE]
      Writes the design as Markdown with Mermaid diagrams: entity chart,
      attributes, states, access patterns with their exact requests.

  monotable model export cloudformation FILE [--environment NAME] [--out FILE]
      Writes a CloudFormation template of the tables and alarms. Without an
      environment the template has a parameter Environment.

  monotable model export openapi FILE [--out FILE]
      Writes the REST API of the model as an OpenAPI 3.1 document: routes,
      schemas, and for each pattern its index, exact request and cost.

  monotable model estimate FILE [--as-the-document] [--prices FILE]
      Says what the declared workload takes: request units with indexes and
      transactions, storage with index entries, and what a month costs. With
      --as-the-document, without indexes, transactions and rounding, as design
      documents count it, and where DynamoDB differs. The price table is the
      newest of the folder prices beside the model unless --prices names one.

  monotable model deploy FILE... [--endpoint URL] [--environment NAME]
      [--set Name=Value]... [--dry-run] [--allow-destructive] [--create-adopted]
      [--samples]
      Makes the tables of a server what the models say: creates tables, adds
      indexes one by one, changes settings. A second time there is nothing to do.
      Tables that a model adopts are checked and never changed; --create-adopted
      creates those that are missing. What takes something from readers, as
      deleting an index does, needs --allow-destructive. With --dry-run, only says
      what would be done; with --samples, puts the sample items in, too. The
      server is http://127.0.0.1:8000 unless --endpoint names another. Requests
      are signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or those of
      MONOTABLE_.

  monotable model samples FILE [--endpoint URL] [--environment NAME]
      [--set Name=Value]... [--overwrite]
      Puts the sample items of a model into its tables, those that are missing;
      with --overwrite, all.

  monotable model diff OLD NEW
  monotable model diff FILE --endpoint URL [--environment NAME]
      [--set Name=Value]...
      Says what changed between two models and what each change needs: nothing, a
      deploy, a rewrite of stored items, or new clients. Or what a deploy to a
      server would do. Ends with 0 if nothing differs and 1 if something does.

  monotable model test FILE... [--now INSTANT]
      Reads the examples of the patterns from the samples of the model, in
      memory: each must return the ids that it names, in order, and cost no more
      read units than it says. Samples that expire are there as of --now, or of
      today. Ends with 0 if all examples hold and 1 if one does not.

Examples:
  monotable model check --strict models/*.model.yaml
  monotable model deploy models/sales.model.yaml --environment dev --samples
)";
}

std::string BackupHelp() {
  return R"(Backs up a whole server: all tables at one moment, while it serves. Backups share
the files that they have in common, and every file has a checksum.

Usage:
  monotable backup create [--endpoint URL]
      Asks a running server for a backup now, and says its number, size and place.
      The server is http://127.0.0.1:8000 unless --endpoint names another.
      Requests are signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or
      those of MONOTABLE_.

  monotable backup list [FOLDER OPTIONS]
      Lists the backups with their time (UTC), size and contents. The size counts
      files that other backups have, too.

  monotable backup verify [BACKUP | --all] [FOLDER OPTIONS]
      Reads every byte of a backup and compares checksums: of the newest one
      unless another or all are named. Names the file that is damaged, and ends
      with 1.

  monotable backup restore BACKUP --to FOLDER [FOLDER OPTIONS]
      Verifies a backup and copies it to a new or empty folder, for a server to
      be started with: monotable serve --data FOLDER.

  monotable backup test [--endpoint URL] [--backup-folder FOLDER]
      Tries out that backups can be restored: asks the server for one, restores
      it to a temporary folder beside the backups, and compares each table with
      what the server had at that moment: items, index entries, counters. Ends
      with 1 if something differs. Run it on the machine of the server, as its
      user.

BACKUP is the number of a backup, or latest.

Folder options
  --backup-folder FOLDER
      Where the backups are. Without it, where a server has them that is started
      with the same --data FOLDER, --config FILE and environment. No server needs
      to run.

Examples:
  monotable backup create
  monotable backup list --data ./monotable-data
  monotable backup verify --all --backup-folder /mnt/backups
  monotable backup restore latest --to ./restored
)";
}

std::string TtlHelp() {
  return R"(Prints for each table with time to live how many of its items will expire
(pending), have expired and are about to be deleted (expired), expired more than
five years ago and so stay (ignored), and were deleted since the table was
created, and the oldest time of the expired ones.

Usage: monotable ttl [TABLE] [--endpoint URL]

The server is http://127.0.0.1:8000 unless --endpoint names another. Requests are
signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or those of MONOTABLE_.

Examples:
  monotable ttl
  monotable ttl sessions --endpoint http://127.0.0.1:9000
)";
}

}  // namespace monotable::cli
