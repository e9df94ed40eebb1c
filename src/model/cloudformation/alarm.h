#pragma once

#include <string>
#include <string_view>

#include "json/json_writer.h"
#include "model/model.h"

namespace monotable::model {

// Which table an alarm of the model is written for.
struct AlarmTarget {
  std::string table_id;     // logical id of the table
  std::string suffix;       // of ids and names, if several tables have the alarm
  std::string environment;  // filled into names; empty to leave it to the parameter
};

// An alarm as resources of type AWS::CloudWatch::Alarm. DynamoDB publishes some metrics with the
// dimensions TableName and Operation only, where an alarm on TableName alone never gets data; for
// these a second alarm over the operations follows.
void WriteAlarm(const AlarmModel& alarm, const AlarmTarget& target, json::Writer* out);

}  // namespace monotable::model
