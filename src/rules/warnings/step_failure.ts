/**
 * Warns of request steps that leave open what their failure means.
 *
 * @module
 */
import { type CheckedRule, rulePath } from "../checked_rule.ts";
import { type Finding, warningAt } from "../finding.ts";
import { isHandleStep } from "../schema.ts";

/** Reports request steps without `failure`. */
export function* warnStepFailure(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  if (action.type !== "pipeline") return;
  for (const [index, step] of action.steps.entries()) {
    if (isHandleStep(step) || step.mode !== "request" || step.failure !== undefined) continue;
    yield warningAt([...rulePath(checked), "action", "steps", index], {
      code: "step_failure",
      message:
        `Say what a failure of the request step "${step.use}" means: without failure it acts as closed, but is no gate`,
      hint:
        `failure = "closed" blocks the request and binds narrower pipelines; "open" lets it pass`,
    });
  }
}
