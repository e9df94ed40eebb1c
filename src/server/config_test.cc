#include "server/config.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "server/settings.h"

namespace monotable::server {
namespace {

using testing::HasSubstr;
using testing::Not;

class ConfigTest : public testing::Test {
 protected:
  ~ConfigTest() override {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }

  void WriteFile(const std::string& text) {
    path_ = fmt::format("{}monotable_config_test_{}.conf", testing::TempDir(), getpid());
    std::ofstream(path_) << text;
    sources_.file = path_;
  }
  Config MustLoad() {
    auto loaded = LoadConfig(sources_);
    EXPECT_TRUE(loaded) << loaded.error().message();
    return loaded ? loaded->config : Config();
  }
  std::string LoadError() {
    const auto loaded = LoadConfig(sources_);
    return loaded ? "" : loaded.error().message();
  }

  std::string path_;
  ConfigSources sources_;
};

TEST_F(ConfigTest, HasDefaults) {
  const Config config = MustLoad();
  EXPECT_EQ(config.http.host, "127.0.0.1");
  EXPECT_EQ(config.http.port, 8000);
  EXPECT_EQ(config.durability, storage::Durability::kSync);
  EXPECT_EQ(config.data_folder, "./monotable-data");
  EXPECT_FALSE(config.in_memory);
}

TEST_F(ConfigTest, StrongerSourcesWin) {
  WriteFile("port = 1\nregion = file-1\ncache-mb = 7\n");
  EXPECT_EQ(MustLoad().http.port, 1);
  sources_.environment = {{"MONOTABLE_PORT", "2"}, {"MONOTABLE_REGION", "environment-1"}};
  EXPECT_EQ(MustLoad().http.port, 2);
  sources_.arguments = {{"port", "3"}, {"port", "4"}};
  const Config config = MustLoad();
  EXPECT_EQ(config.http.port, 4);
  EXPECT_EQ(config.region, "environment-1");
  EXPECT_EQ(config.cache_mb, 7u);
}

TEST_F(ConfigTest, ListsGrowWithinASourceAndAreReplacedByAStronger) {
  using testing::ElementsAre;
  WriteFile("model = a.yaml\nmodel = b.yaml, c.yaml\n");
  EXPECT_THAT(MustLoad().models, ElementsAre("a.yaml", "b.yaml", "c.yaml"));
  sources_.environment = {{"MONOTABLE_MODEL", "d.yaml,e.yaml"}};
  EXPECT_THAT(MustLoad().models, ElementsAre("d.yaml", "e.yaml"));
  sources_.arguments = {{"model", "f.yaml"}, {"port", "3"}, {"model", "g.yaml"}};
  EXPECT_THAT(MustLoad().models, ElementsAre("f.yaml", "g.yaml"));
  sources_.arguments = {{"model", "f.yaml,"}};
  EXPECT_EQ(LoadError(),
            "Option --model: 'f.yaml,' is not accepted. Give a file, or several with commas "
            "between them.");
}

TEST_F(ConfigTest, ParametersHaveNamesAndTheirValuesMayHaveCommas) {
  using testing::ElementsAre;
  sources_.arguments = {{"set", "TableName=oms"}, {"set", "Tags=a,b,Size="}};
  EXPECT_THAT(MustLoad().parameters, ElementsAre("TableName=oms", "Tags=a,b", "Size="));
  for (const char* wrong : {"TableName", "=oms", "oms,TableName=1", ","}) {
    sources_.arguments = {{"set", wrong}};
    EXPECT_THAT(LoadError(), testing::HasSubstr("Give a parameter and its value")) << wrong;
  }
}

TEST_F(ConfigTest, AllowedHostsAreNamesWithoutPorts) {
  using testing::ElementsAre;
  WriteFile("allowed-host = a.example\n");
  EXPECT_THAT(MustLoad().allowed_hosts, ElementsAre("a.example"));
  sources_.arguments = {{"allowed-host", "b"}, {"allowed-host", "fd00::1, 10.0.0.1"}};
  EXPECT_THAT(MustLoad().allowed_hosts, ElementsAre("b", "fd00::1", "10.0.0.1"));
  for (const char* wrong : {"a:80", "http://a", "[::1]", "*", "*.a", "a b", "a,", ""}) {
    sources_.arguments = {{"allowed-host", wrong}};
    EXPECT_THAT(LoadError(), HasSubstr("a host name or address without port")) << wrong;
  }
}

TEST_F(ConfigTest, ReadsFilesWithCommentsAndBlanks) {
  WriteFile("# comment\n\n  host=::1\r\n\tdata = /a folder/with = signs \n in-memory = true");
  const Config config = MustLoad();
  EXPECT_EQ(config.http.host, "::1");
  EXPECT_EQ(config.data_folder, "/a folder/with = signs");
  EXPECT_TRUE(config.in_memory);
}

TEST_F(ConfigTest, TheEnvironmentCanNameTheFile) {
  WriteFile("port = 11\n");
  sources_.file.reset();
  sources_.environment = {{"MONOTABLE_CONFIG", path_}};
  EXPECT_EQ(MustLoad().http.port, 11);
}

// A value other than the default for every setting but the secret one, which is never shown.
std::map<std::string_view, std::string> OtherValues() {
  return {{"host", "127.0.0.2"},
          {"port", "1234"},
          {"threads", "3"},
          {"allowed-host", "a,b"},
          {"data", "/d"},
          {"in-memory", "true"},
          {"durability", "relaxed"},
          {"cache-mb", "5"},
          {"write-buffer-mb", "6"},
          {"backup-folder", "/b"},
          {"backup-every", "36h"},
          {"backup-keep", "12"},
          {"scrub-every", "36h"},
          {"scrub-mb-per-second", "7"},
          {"s3-folder", "/s"},
          {"ttl-delay", "0s"},
          {"ttl-change-interval", "1d"},
          {"test-clock", "2026-01-30T14:30:00Z"},
          {"test-controls", "true"},
          {"stop-with-input", "true"},
          {"access-key-id", "ID"},
          {"credentials-file", "f"},
          {"jwt-secret-file", "j"},
          {"jwt-allow-no-expiry", "true"},
          {"region", "eu-west-1"},
          {"account-id", "123456789012"},
          {"strict", "true"},
          {"model", "a.yaml,b.yaml"},
          {"environment", "production,prod"},
          {"set", "TableName=oms,trading.Tags=a,b"},
          {"samples", "true"},
          {"create-adopted", "true"},
          {"max-connections", "8"},
          {"max-body-mb", "9"},
          {"request-memory-mb", "99"},
          {"idle-timeout", "1s"},
          {"header-timeout", "2s"},
          {"body-timeout", "31s"},
          {"write-timeout", "250ms"},
          {"log-level", "error"}};
}

TEST_F(ConfigTest, EverySettingIsReadBackAsItIsShown) {
  const std::map<std::string_view, std::string> values = OtherValues();
  std::set<std::string> environment_names;
  for (const Setting& setting : Settings()) {
    EXPECT_TRUE(environment_names.insert(setting.environment_name()).second);
    if (setting.name == "secret-access-key") continue;
    ASSERT_TRUE(values.contains(setting.name)) << setting.name;
    Config config;
    ASSERT_NE(setting.show(config), values.at(setting.name));
    ASSERT_TRUE(setting.apply(values.at(setting.name), &config)) << setting.name;
    EXPECT_EQ(setting.show(config), values.at(setting.name));
  }
  EXPECT_EQ(FindSetting("write-buffer-mb")->environment_name(), "MONOTABLE_WRITE_BUFFER_MB");
  EXPECT_EQ(FindSetting("s3-folder")->environment_name(), "MONOTABLE_S3_FOLDER");
}

TEST_F(ConfigTest, EverySettingCanBeGivenByFileEnvironmentAndFlag) {
  // Only a pair of an access key and its secret is accepted.
  const auto with_pair = [](std::string_view name) {
    return name == "access-key-id" ? "secret-access-key" : "access-key-id";
  };
  std::map<std::string_view, std::string> values = OtherValues();
  values["secret-access-key"] = "Secret";
  for (const Setting& setting : Settings()) {
    const bool is_key = setting.name.ends_with("access-key-id") || setting.name.ends_with("-key");
    std::vector<std::pair<std::string, std::string>> given = {
        {std::string(setting.name), values.at(setting.name)}};
    if (is_key) given.emplace_back(with_pair(setting.name), "Other");
    if (setting.name == "test-controls") given.emplace_back("in-memory", "true");
    Config expected;
    std::string file;
    std::map<std::string, std::string> environment;
    for (const auto& [name, value] : given) {
      ASSERT_TRUE(FindSetting(name)->apply(value, &expected)) << name;
      file += name + " = " + value + "\n";
      environment[FindSetting(name)->environment_name()] = value;
    }
    for (const std::string_view source : {"file", "environment", "flag"}) {
      SCOPED_TRACE(std::string(setting.name) + " by " + std::string(source));
      sources_ = {};
      if (source == "file") WriteFile(file);
      if (source == "environment") sources_.environment = environment;
      if (source == "flag") sources_.arguments = given;
      const Config config = MustLoad();
      EXPECT_EQ(setting.show(config), setting.show(expected));
      EXPECT_EQ(config.secret_access_key, expected.secret_access_key);
    }
  }
}

TEST_F(ConfigTest, TimesHaveUnitsAndBounds) {
  const auto every = [](std::string_view text) -> int64_t {
    Config config;
    return FindSetting("backup-every")->apply(text, &config) ? config.backup_every.count() : -1;
  };
  EXPECT_EQ(every("1500ms"), 1500);
  EXPECT_EQ(every("2s"), 2000);
  EXPECT_EQ(every("3m"), 180'000);
  EXPECT_EQ(every("4h"), 14'400'000);
  EXPECT_EQ(every("7d"), 604'800'000);
  EXPECT_EQ(every("off"), 0);
  for (const char* text : {"", "0s", "999ms", "367d", "1w", "-1d", "24", "99999999999999999d"}) {
    EXPECT_EQ(every(text), -1) << text;
  }
  Config config;
  EXPECT_TRUE(FindSetting("ttl-delay")->apply("0s", &config));
  EXPECT_EQ(config.ttl_delay.count(), 0);
  EXPECT_FALSE(FindSetting("ttl-delay")->apply("3661d", &config));
  EXPECT_FALSE(FindSetting("idle-timeout")->apply("2d", &config));
}

TEST_F(ConfigTest, BackupsAreBesideTheDataUnlessAFolderIsNamed) {
  Config config;
  for (const char* data : {"/var/data", "/var/data/", "/var/./data//"}) {
    config.data_folder = data;
    EXPECT_EQ(BackupFolder(config), "/var/data-backups");
  }
  config.data_folder = "./data";
  EXPECT_EQ(BackupFolder(config), (std::filesystem::current_path() / "data-backups").string());
  config.backup_folder = "/mnt/backups/";
  EXPECT_EQ(BackupFolder(config), "/mnt/backups");
}

TEST_F(ConfigTest, BucketsAreInTheDataUnlessAFolderIsNamed) {
  Config config;
  config.data_folder = "/var/data";
  EXPECT_EQ(S3Folder(config), "/var/data/s3");
  config.in_memory = true;
  EXPECT_EQ(S3Folder(config), "");
  config.s3_folder = "/buckets";
  EXPECT_EQ(S3Folder(config), "/buckets");
}

TEST_F(ConfigTest, DataInMemoryHasNoScheduleOfBackups) {
  sources_.arguments = {{"in-memory", "true"}, {"backup-every", "24h"}};
  EXPECT_THAT(LoadError(), HasSubstr("there are no files to back up"));
}

TEST_F(ConfigTest, RefusalsSayWhereAndWhatIsAccepted) {
  sources_.arguments = {{"port", "65536"}};
  EXPECT_EQ(LoadError(), "Option --port: '65536' is not accepted. Give a number from 0 to 65535.");
  sources_.arguments.clear();
  sources_.environment = {{"MONOTABLE_DURABILITY", "fast"}};
  EXPECT_EQ(LoadError(),
            "Environment variable MONOTABLE_DURABILITY: 'fast' is not accepted. Give sync or "
            "relaxed.");
  sources_.environment.clear();
  WriteFile("# first\nidle-timeout = 5\n");
  EXPECT_EQ(LoadError(), path_ +
                             ", line 2 (idle-timeout): '5' is not accepted. Give a time such "
                             "as 500ms, 30s or 2m, up to a day.");
  WriteFile("port: 5");
  EXPECT_EQ(LoadError(), path_ + ", line 1: expected key = value.");
}

TEST_F(ConfigTest, RefusesOddValues) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"port", ""},
                                                        {"port", "-1"},
                                                        {"port", "80 "},
                                                        {"port", "0x50"},
                                                        {"threads", "1025"},
                                                        {"in-memory", "yes"},
                                                        {"cache-mb", "0"},
                                                        {"account-id", "123"},
                                                        {"account-id", "12345678901x"},
                                                        {"region", "US EAST"},
                                                        {"region", ""},
                                                        {"idle-timeout", "0s"},
                                                        {"idle-timeout", "s"},
                                                        {"body-timeout", "99999999999999999999ms"},
                                                        {"write-timeout", "25h"},
                                                        {"max-body-mb", "1025"},
                                                        {"request-memory-mb", "15"},
                                                        {"log-level", "loud"},
                                                        {"host", ""}}) {
    sources_.arguments = {{name, value}};
    EXPECT_THAT(LoadError(), HasSubstr("Option --" + name)) << value;
  }
}

TEST_F(ConfigTest, RefusesUnknownNamesWithASuggestion) {
  sources_.arguments = {{"prot", "1"}};
  EXPECT_EQ(LoadError(), "There is no option --prot. Did you mean --port?");
  sources_.arguments = {{"colour", "red"}};
  EXPECT_EQ(LoadError(), "There is no option --colour. See monotable serve --help.");
  sources_.arguments.clear();
  WriteFile("dta = x\n");
  EXPECT_EQ(LoadError(), path_ + ", line 1: there is no setting 'dta'. Did you mean data?");
  WriteFile("colour = red\n");
  EXPECT_EQ(LoadError(), path_ + ", line 1: there is no setting 'colour'.");
}

TEST_F(ConfigTest, WarnsOfMisspeltVariablesOnly) {
  sources_.environment = {{"MONOTABLE_DURABILTY", "relaxed"}, {"MONOTABLE_ENDPOINT", "x"}};
  const auto loaded = LoadConfig(sources_);
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->warnings,
              testing::ElementsAre("Environment variable MONOTABLE_DURABILTY is no setting and is "
                                   "ignored. Did you mean MONOTABLE_DURABILITY?"));
}

TEST_F(ConfigTest, SaysThatTheFileCannotBeRead) {
  sources_.file = "/does/not/exist";
  EXPECT_EQ(LoadError(), "Cannot read the config file '/does/not/exist'.");
}

TEST_F(ConfigTest, OtherMachinesNeedAccessKeys) {
  for (const std::string host : {"0.0.0.0", "::", "192.168.0.1", "example.com"}) {
    sources_.arguments = {{"host", host}};
    EXPECT_EQ(LoadError(),
              "Host " + host +
                  " can be reached from other machines, so access keys are needed. Set "
                  "MONOTABLE_ACCESS_KEY_ID and MONOTABLE_SECRET_ACCESS_KEY, or give "
                  "--credentials-file FILE.");
    sources_.arguments.emplace_back("access-key-id", "ID");
    sources_.arguments.emplace_back("secret-access-key", "secret");
    EXPECT_EQ(LoadError(), "");
  }
  for (const std::string host : {"localhost", "127.0.0.1", "127.9.9.9", "::1"}) {
    sources_.arguments = {{"host", host}};
    EXPECT_EQ(LoadError(), "");
  }
}

TEST_F(ConfigTest, AKeyNeedsItsSecret) {
  sources_.environment = {{"MONOTABLE_ACCESS_KEY_ID", "ID"}};
  EXPECT_EQ(LoadError(), "access-key-id is set without secret-access-key. Set both or neither.");
  sources_.environment = {{"MONOTABLE_SECRET_ACCESS_KEY", "hidden"}};
  EXPECT_EQ(LoadError(), "secret-access-key is set without access-key-id. Set both or neither.");
}

TEST_F(ConfigTest, SecretsAreNeitherShownNorRepeated) {
  Config config;
  config.secret_access_key = "hidden";
  EXPECT_EQ(FindSetting("secret-access-key")->show(config), "");
  sources_.environment = {{"MONOTABLE_SECRET_ACCESS_KEY", ""}};
  EXPECT_THAT(LoadError(), Not(HasSubstr("''")));
}

TEST_F(ConfigTest, GathersAccessKeysOfAllKinds) {
  Config config;
  EXPECT_TRUE(LoadCredentials(config)->empty());
  WriteFile("[a]\naws_access_key_id = A\naws_secret_access_key = 1\n");
  config.credentials_file = path_;
  config.access_key_id = "B";
  config.secret_access_key = "2";
  const auto credentials = LoadCredentials(config);
  ASSERT_TRUE(credentials);
  EXPECT_EQ(*credentials->FindSecret("A"), "1");
  EXPECT_EQ(*credentials->FindSecret("B"), "2");
}

}  // namespace
}  // namespace monotable::server
