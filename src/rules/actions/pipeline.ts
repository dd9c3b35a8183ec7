/**
 * @module The `pipeline` action: runs functions around the response. A pipeline has exactly one
 * terminal handle step. Request steps come before it; response and observe steps come after it.
 */
import * as z from "zod";
import type { PipelineDecision } from "../decision.ts";
import { errorAt, type Finding, warningAt } from "../finding.ts";
import { isGate, isHandleStep, type PipelineStep } from "../pipeline_steps.ts";
import { choice, flag, list } from "../schema_parts.ts";
import { type ActionDefinition, effectOf, NO_TEMPLATES } from "./action_definition.ts";

interface PipelineAction {
  readonly type: "pipeline";
  readonly steps: readonly PipelineStep[];
  readonly override?: boolean;
  readonly inheritGate?: boolean;
}

/** Valid names of functions. */
const FUNCTION_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

const name = () =>
  z.string("Use a string").min(1, "Use 1 to 64 characters").max(64, "Use 1 to 64 characters");

const functionStepShape = {
  use: name().regex(
    FUNCTION_NAME,
    "Use lowercase letters, digits and hyphens, with no hyphen at either end",
  ).describe("Name of the function"),
  mode: choice(["request", "response", "observe"]),
  as: name().optional(),
  failure: choice(["closed", "open"]).optional().describe(
    "What happens when the step fails; an explicit closed request step is a gate",
  ),
  cachePosition: choice(["before", "after"]).optional(),
};

const handleStepShape = {
  handle: name().describe("origin, or the name of the function that responds"),
};

/** The fields of the two forms of a step. */
export const STEP_FIELDS = {
  functionStep: Object.keys(functionStepShape),
  handleStep: Object.keys(handleStepShape),
};

const stepSchema = z.union([
  z.strictObject(functionStepShape, "Use a table with use and mode, or with handle"),
  z.strictObject(handleStepShape, "Use a table with use and mode, or with handle"),
], "Use a table with use and mode, or with handle");

function checkStep(
  step: PipelineStep,
  index: number,
  handleAt: number,
): Omit<Finding, "severity" | "path"> | undefined {
  if (isHandleStep(step)) {
    return index === handleAt ? undefined : {
      code: "second_handle",
      message: `Keep one terminal handle step: steps[${handleAt}] is already one`,
    };
  }
  if (step.mode === "request") {
    return index < handleAt ? undefined : {
      code: "step_order",
      message:
        `Move the request step "${step.use}" before the handle step, which responds to the request`,
      hint: `Use mode = "response" for a function that works on the response`,
    };
  }
  return index > handleAt ? undefined : {
    code: "step_order",
    message:
      `Move the ${step.mode} step "${step.use}" after the handle step: there is no response before it`,
    hint: `Use mode = "request" for a function that works on the request`,
  };
}

function normalizeStep(step: PipelineStep): PipelineStep {
  if (isHandleStep(step)) return { handle: step.handle };
  const { use, mode, as, failure, cachePosition } = step;
  return {
    use,
    mode,
    ...(as === undefined ? {} : { as }),
    ...(failure === undefined ? {} : { failure }),
    ...(cachePosition === undefined ? {} : { cachePosition }),
  };
}

export const pipeline: ActionDefinition<PipelineAction, Required<PipelineAction>> = {
  schema: z.strictObject({
    type: z.literal("pipeline"),
    steps: list(stepSchema).min(1, "Must have at least one step"),
    override: flag().optional(),
    inheritGate: flag().optional(),
  }),
  phase: "pipeline",
  isClientBound: false,
  templates: NO_TEMPLATES,
  /** Reports a missing or second handle step, and steps on the wrong side of the handle step. */
  *check({ steps }, { path }) {
    const at = [...path, "steps"];
    const handleAt = steps.findIndex(isHandleStep);
    if (handleAt < 0) {
      yield errorAt(at, {
        code: "missing_handle",
        message: "Add a terminal handle step to the pipeline: it has none",
        hint: `Write { handle = "origin" } to continue with the deployment's routes`,
      });
      return;
    }
    for (const [index, step] of steps.entries()) {
      const problem = checkStep(step, index, handleAt);
      if (problem !== undefined) yield errorAt([...at, index], problem);
    }
  },
  /** Reports request steps that do not define what happens if they fail. */
  *warn({ steps }, { path }) {
    for (const [index, step] of steps.entries()) {
      if (isHandleStep(step) || step.mode !== "request" || step.failure !== undefined) continue;
      yield warningAt([...path, "steps", index], {
        code: "step_failure",
        message:
          `Set "failure" for the request step "${step.use}": without it, a failure blocks the request, but the step is not a gate`,
        hint:
          `"closed" blocks the request and applies to narrower pipelines too; "open" lets it pass`,
      });
    }
  },
  normalize({ type, steps, override = false, inheritGate = true }) {
    return { type, steps: steps.map(normalizeStep), override, inheritGate };
  },
  endsPhase: () => true,
  closes({ steps }) {
    const gates = steps.filter(isGate).map(({ use }) => use);
    return gates.length === 0 ? undefined : `pipeline ${JSON.stringify(gates.toSorted())}`;
  },
  compile({ steps, override }, { ref }) {
    const decision: PipelineDecision = { steps, rule: ref };
    return effectOf((draft) => {
      draft.pipeline = decision;
      draft.closeThrough("pipeline");
    }, { isOverride: override });
  },
};
