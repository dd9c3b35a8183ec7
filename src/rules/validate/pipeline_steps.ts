/**
 * Validation rules 3 and 4: a pipeline has exactly one terminal handle step;
 * request steps stand before it, response and observe steps after it.
 *
 * @module
 */
import { type CheckedRule, rulePath } from "../checked_rule.ts";
import { errorAt, type Finding } from "../finding.ts";
import { isHandleStep } from "../schema.ts";
import type { PipelineStep } from "../types.ts";

function checkStep(
  step: PipelineStep,
  index: number,
  handleAt: number,
): Omit<Finding, "severity" | "path"> | undefined {
  if (isHandleStep(step)) {
    return index === handleAt ? undefined : {
      code: "second_handle",
      message: `Keep one terminal handle step: steps[${handleAt}] is one already`,
    };
  }
  if (step.mode === "request") {
    return index < handleAt ? undefined : {
      code: "step_order",
      message:
        `Move the request step "${step.use}" before the handle step: after it the request is answered`,
      hint: `Use mode = "response" for a function that works on the answer`,
    };
  }
  return index > handleAt ? undefined : {
    code: "step_order",
    message:
      `Move the ${step.mode} step "${step.use}" after the handle step: before it there is no answer`,
    hint: `Use mode = "request" for a function that works on the request`,
  };
}

/** Reports a missing or second handle step, and steps on its wrong side. */
export function* checkPipelineSteps(checked: CheckedRule): Generator<Finding> {
  const { action } = checked.rule;
  if (action.type !== "pipeline") return;
  const path = [...rulePath(checked), "action", "steps"];
  const handleAt = action.steps.findIndex(isHandleStep);
  if (handleAt < 0) {
    yield errorAt(path, {
      code: "missing_handle",
      message: "Add one terminal handle step to the pipeline: it has none",
      hint: `Write { handle = "origin" } to go on to the deployment's routes`,
    });
    return;
  }
  for (const [index, step] of action.steps.entries()) {
    const problem = checkStep(step, index, handleAt);
    if (problem !== undefined) yield errorAt([...path, index], problem);
  }
}
