/**
 * What is no error but most likely not meant.
 *
 * @module
 */
import type { CheckedRule } from "../checked_rule.ts";
import type { Finding } from "../finding.ts";
import { warnEdgeHeaders } from "./edge_headers.ts";
import { warnEmptyLists } from "./empty_lists.ts";
import { warnPaths } from "./paths.ts";
import { warnRedirectStatus } from "./redirect_status.ts";
import { warnStepFailure } from "./step_failure.ts";

/** Reports what is doubtful about one rule by itself. */
export function* warnRule(checked: CheckedRule): Generator<Finding> {
  yield* warnPaths(checked);
  yield* warnEmptyLists(checked);
  yield* warnRedirectStatus(checked);
  yield* warnStepFailure(checked);
  yield* warnEdgeHeaders(checked);
}
