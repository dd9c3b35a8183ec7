/**
 * Warns of redirects whose status is no redirect.
 *
 * @module
 */
import { type CheckedRule, rulePath } from "../checked_rule.ts";
import { type Finding, warningAt } from "../finding.ts";
import { isRedirectStatus } from "../normalize.ts";

/** Reports a redirect status outside 300 to 399, which is served as 302. */
export function* warnRedirectStatus(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  if (action.type !== "redirect" || action.statusCode === undefined) return;
  if (isRedirectStatus(action.statusCode)) return;
  yield warningAt([...rulePath(checked), "action", "statusCode"], {
    code: "redirect_status",
    message:
      `Use a redirect status from 300 to 399: it is ${action.statusCode} and is served as 302`,
    hint: "301 and 308 are permanent, 302 and 307 temporary",
  });
}
