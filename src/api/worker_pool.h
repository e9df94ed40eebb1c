#pragma once

#include "engine/worker_pool.h"

namespace monotable::api {
using engine::WorkerPool;
}
