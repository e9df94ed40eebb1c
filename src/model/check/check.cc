#include "model/check/check.h"

#include "model/check/passes.h"
#include "model/check/report.h"

namespace monotable::model {

void CheckModel(const Model& model, Findings* findings) {
  Report report(model, findings);
  CheckTables(model, &report);
  CheckStates(model, &report);
  CheckIdentity(model, &report);
  CheckKeyTexts(model, &report);
  CheckNamespaces(model, &report);
  CheckPartitions(model, &report);
  CheckTenancy(model, &report);
  CheckWrites(model, &report);
  CheckPatterns(model, &report);
  CheckNames(model, &report);
  report.TellNeedlessAcceptances();
}

}  // namespace monotable::model
