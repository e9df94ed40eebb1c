#include "cli/command_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/settings.h"

namespace monotable::cli {
namespace {

constexpr std::string_view kServerNotes =
    "Requests to a server are signed with MONOTABLE_ACCESS_KEY_ID and MONOTABLE_SECRET_ACCESS_KEY "
    "or, if they are not set, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Without --ca-file, "
    "https trusts the certificates that CURL_CA_BUNDLE or SSL_CERT_FILE names, or else those of "
    "the system.";

constexpr CommandGroup kGroups[] = {
    {"serve", "serve [options]", "Serve tables.", "",
     "A config file has lines such as `port = 9000`: the name of an option without its dashes, and "
     "its value. A number sign begins a comment.\n"
     "Every option is also an environment variable: --max-body-mb is MONOTABLE_MAX_BODY_MB, "
     "--in-memory is MONOTABLE_IN_MEMORY=true, and --config is MONOTABLE_CONFIG. The command line "
     "overrides the environment, and the environment overrides the file.",
     R"(  A server for a test, on a free port, that forgets everything:
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

  A server for a model, with its tables and sample items:
    monotable serve --in-memory --model models/sales.model.yaml --samples

  A server that makes a backup every day and keeps two weeks of them:
    monotable serve --data ./monotable-data --backup-every 24h --backup-keep 14

  A server for other machines, with an access key:
    MONOTABLE_ACCESS_KEY_ID=AKIDEXAMPLE MONOTABLE_SECRET_ACCESS_KEY=... \
      monotable serve --host 0.0.0.0
)"},
    {"model", "model COMMAND",
     "Check, document, estimate, compare, deploy and verify table designs.",
     "Works with model files: single-table designs with their keys, rules and access patterns.",
     kServerNotes,
     R"(  monotable model check --strict models/*.model.yaml
  monotable model deploy models/sales.model.yaml --environment dev --samples
  monotable model verify sales --report sales-report.json
)"},
    {"backup", "backup COMMAND", "Back up a whole server; verify, restore and test backups.",
     "Backs up a whole server: all tables at one moment, while the server runs. Backups share the "
     "files that they have in common, and every file has a checksum. BACKUP stands for the number "
     "of a backup, or for latest.",
     kServerNotes,
     R"(  monotable backup create
  monotable backup list --data ./monotable-data
  monotable backup verify --all --backup-folder /mnt/backups
  monotable backup restore latest --to ./restored
)"},
    {"repair", "repair FOLDER", "Show and repair the damage of a data folder.", "", "",
     R"(  monotable repair ./monotable-data
  monotable repair ./monotable-data --apply
)"},
    {"scrub", "scrub [FOLDER]", "Read all data and compare checksums.", "", kServerNotes,
     R"(  monotable scrub
  monotable scrub ./monotable-data
)"},
    {"ttl", "ttl [TABLE]", "Print how many items are about to expire.", "", kServerNotes,
     R"(  monotable ttl
  monotable ttl sessions --endpoint http://127.0.0.1:9000
)"},
    {"version", "version", "Print the version.", "", "", ""},
    {"help", "help [COMMAND]", "Print this, or the help of a command.", "", "",
     R"(  monotable help
  monotable help model deploy
)"},
    {"completion", "completion bash", "Print a completion script for bash.", "", "",
     R"(  source <(monotable completion bash)
)",
     true},
    {"man", "man", "Print the manual page, in roff.", "", "",
     R"(  monotable man | man -l -
)",
     true},
};

std::vector<Option> ServeOptions() {
  std::vector<Option> options;
  for (const server::Setting& setting : server::Settings()) {
    std::string help(setting.help);
    const std::string value = setting.show(server::Config());
    if (!value.empty() && !setting.is_switch()) help += fmt::format(" Default: {}.", value);
    options.push_back({setting.name, setting.value, std::move(help), setting.group});
  }
  options.push_back(
      {"config", "FILE", "Read settings from this file.", "Where settings come from"});
  return options;
}

// NOLINTNEXTLINE(readability-function-size): a table, read from top to bottom.
std::vector<Command> MakeCommands() {
  const Option endpoint{"endpoint", "URL", "The server. Default: http://127.0.0.1:8000."};
  const Option ca_file{"ca-file", "FILE",
                       "For https: the certificates to trust (PEM), instead of the system's."};
  const Option environment{"environment", "NAME",
                           "The environment of the model. Default: the first one."};
  const Option set{"set", "Name=Value",
                   "Give a parameter of the model a value. Repeat the option for several."};
  const Option out{"out", "FILE", "Write to this file instead of standard output."};
  const Option report{"report", "FILE",
                      "Write all findings to this file, as JSON. The file is kept up to date "
                      "while the command runs."};
  const Option resume{"resume", "FILE",
                      "Go on where the command that wrote this report was stopped."};
  const Option page{"page", "ITEMS", "How many items one request looks at. Default: 1000."};
  const Option backup_folder{"backup-folder", "FOLDER",
                             "The folder with the backups. Default: the one that a server with the "
                             "same --data, --config and environment uses. The server need not "
                             "run."};
  const Option data{"data", "FOLDER", "The data folder of the server."};
  const Option config{"config", "FILE", "The config file of the server."};
  return {
      {"serve", "", "Serves tables over the DynamoDB protocol until it gets SIGTERM or SIGINT.",
       ServeOptions(), true},

      {"model check",
       "FILE...",
       "Reports what is wrong with designs, with line and column: mistakes in the file, access "
       "patterns that no key serves, keys that collide, hot partitions and more. Ends with 0 if "
       "all is well, 1 if there are errors, and 2 if a file cannot be read.",
       {{"format", "text|json", "How to print the findings. Default: text."},
        {"strict", "", "Count warnings as errors."}}},
      {"model docs",
       "FILE",
       "Writes the design as Markdown with Mermaid diagrams: entity chart, attributes, states, "
       "and access patterns with their exact requests.",
       {out}},
      {"model export",
       "cloudformation|openapi FILE",
       "cloudformation writes a CloudFormation template of the tables and alarms. openapi writes "
       "the REST API of the model as an OpenAPI 3.1 document: routes, schemas, and for each "
       "pattern its index, exact request and cost.",
       {{"environment", "NAME",
         "For cloudformation: the environment of the model. Without it the template has a "
         "parameter Environment."},
        out}},
      {"model estimate",
       "FILE",
       "Estimates what the declared workload takes: request units with indexes and transactions, "
       "storage with index entries, and the cost of a month.",
       {{"as-the-document", "",
         "Count without indexes, transactions and rounding, as design documents do, and say where "
         "DynamoDB differs."},
        {"prices", "FILE",
         "The price table. Default: the newest one in the folder prices beside the model."}}},
      {"model deploy",
       "FILE...",
       "Makes the tables of a server match the models: creates tables, adds indexes one by one, "
       "changes settings. If nothing differs, it does nothing. Tables that a model adopts are "
       "checked and never changed.",
       {endpoint,
        ca_file,
        environment,
        set,
        {"dry-run", "", "Only print what would be done."},
        {"allow-destructive", "",
         "Allow steps that take something away from readers, such as deleting an index."},
        {"create-adopted", "", "Create the tables that models adopt, where they are missing."},
        {"samples", "", "Put the sample items into the tables, too."}}},
      {"model samples",
       "FILE",
       "Puts the sample items of a model into its tables, where they are missing.",
       {endpoint,
        ca_file,
        environment,
        set,
        {"overwrite", "", "Replace sample items that exist already."}}},
      {"model diff",
       "(OLD NEW | FILE)",
       "Compares two models and says what each change needs: nothing, a deploy, a rewrite of "
       "stored items, or new clients. With --endpoint, compares one model with a server and says "
       "what a deploy would do. Ends with 0 if nothing differs and 1 if something does.",
       {endpoint, ca_file, environment, set}},
      {"model test",
       "FILE...",
       "Reads the examples of the patterns from the samples of the model, in memory. Each example "
       "must return the ids that it names, in order, and cost no more read units than it says. "
       "Ends with 0 if all examples hold and 1 if one does not.",
       {{"now", "TIME",
         "The moment of the test, as in 2026-01-30T14:30:00Z or 2026-01-30, for samples that "
         "expire. Default: now."}}},
      {"model verify",
       "MODEL",
       "Reads the tables of a model that a server serves, and lists every item that breaks the "
       "model: keys, values, copies, sums, unique values, references, parents and more. MODEL is "
       "the name of the model or its file. The server keeps serving. Ends with 0 if nothing is "
       "wrong, 1 if something is, and 2 if the command could not run.",
       {endpoint, ca_file, report, resume, page}},
      {"model repair",
       "MODEL",
       "Corrects what follows from other values: keys, index keys, derived values, live copies, "
       "markers of unique values, expiry and counters. Lists what a person has to decide. Changes "
       "nothing without --apply. Ends with 0 if nothing is wrong or all is repaired, 1 if "
       "something is left, and 2 if the command could not run.",
       {{"apply", "",
         "Write the corrections. Each one is written only if nothing that led to it "
         "has changed."},
        endpoint,
        ca_file,
        report,
        resume,
        page}},

      {"backup create",
       "",
       "Asks a running server for a backup, and prints its number, size and place.",
       {endpoint, ca_file}},
      {"backup list",
       "",
       "Lists the backups with their time (UTC), size and contents. The size includes files that "
       "other backups share.",
       {backup_folder, data, config}},
      {"backup verify",
       "[BACKUP]",
       "Reads every byte of a backup and compares checksums: of the newest backup, unless another "
       "is named. Names the file that is damaged, and ends with 1 then.",
       {{"all", "", "Verify all backups."}, backup_folder, data, config}},
      {"backup restore",
       "BACKUP",
       "Verifies a backup and copies it to a new or empty folder. Start a server with it: "
       "monotable serve --data FOLDER.",
       {{"to", "FOLDER", "The folder to restore to. Needed."}, backup_folder, data, config}},
      {"backup test",
       "",
       "Proves that backups can be restored. Asks the server for a backup, restores it to a "
       "temporary folder beside the backups, and compares each table with what the server had at "
       "that moment: items, index entries, counters. Ends with 1 if something differs. Run it on "
       "the machine of the server, as the server's user.",
       {endpoint,
        ca_file,
        {"backup-folder", "FOLDER", "Where the folder with the backups is on this machine."}}},

      {"repair",
       "FOLDER",
       "Reads a data folder that no server uses, and shows what is damaged, what can be kept and "
       "what would be lost. Changes nothing without --apply. Ends with 0 if there is no damage or "
       "all of it is repaired, and with 1 if there is some.",
       {{"apply", "",
         "Repair the folder. What is changed or removed is kept in a folder damaged-N in it."}}},
      {"scrub",
       "[FOLDER]",
       "Reads every byte of a running server's data while it serves, or of a data folder that no "
       "server uses, and compares checksums. Ends with 0 if all is well, and with 1 if something "
       "is damaged, which it names. Servers do this by themselves: see serve --scrub-every.",
       {endpoint,
        ca_file,
        {"mb-per-second", "MB", "How fast to read a folder. Default: as fast as possible."}}},

      {"ttl",
       "[TABLE]",
       "Prints for each table with time to live how many of its items will expire (PENDING), have "
       "expired and are about to be deleted (EXPIRED), expired more than five years ago and "
       "therefore stay (IGNORED), and were deleted since the table was created (DELETED), and the "
       "oldest time among the expired items.",
       {endpoint, ca_file}},
      {"version", "", "Prints the version.", {}},
      {"help", "[COMMAND]", "Prints all commands, or the help of one.", {}},
      {"completion", "bash", "Prints a script that completes commands and options in bash.", {}},
      {"man", "", "Prints the manual page, in roff.", {}},
  };
}

}  // namespace

std::string_view Command::verb() const {
  const size_t space = name.find(' ');
  return space == std::string_view::npos ? std::string_view() : name.substr(space + 1);
}

std::span<const CommandGroup> CommandGroups() {
  return kGroups;
}

std::span<const Command> Commands() {
  static const std::vector<Command> kCommands = MakeCommands();
  return kCommands;
}

const CommandGroup* FindGroup(std::string_view name) {
  const auto groups = CommandGroups();
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const CommandGroup& group) { return group.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

const Command* FindCommand(std::string_view name) {
  const auto commands = Commands();
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const Command& command) { return command.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

std::vector<const Command*> CommandsOf(const CommandGroup& group) {
  std::vector<const Command*> commands;
  for (const Command& command : Commands()) {
    if (command.group() == group.name) commands.push_back(&command);
  }
  return commands;
}

}  // namespace monotable::cli
