/** @module Flags for rolling releases. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Deployment } from "../../contract/deployments.ts";
import {
  MAX_RELEASE_STEPS,
  MAX_STEP_SECONDS,
  type RollingPlan,
  STEP_SECONDS,
} from "../../contract/releases.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

export interface RollingFlags {
  readonly rolling?: number[] | undefined;
  readonly every?: number | undefined;
  /** Percentage of visitors. Only for `svc promote`. */
  readonly share?: number | undefined;
}

const STEPS = /^\d{1,3}(?:,\d{1,3})*$/;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses increasing shares that end with 100, such as `5,25,100`. */
export function rollingSteps(text: string): number[] {
  const steps = STEPS.test(text) ? text.split(",").map(Number) : [];
  const isRising = steps.every((each, index) => each > (steps[index - 1] ?? 0));
  if (isRising && steps.at(-1) === 100 && steps.length <= MAX_RELEASE_STEPS) return steps;
  throw new InvalidArgumentError("Expected increasing percentages that end with 100: 5,25,100.");
}

/** Parses a duration such as `30s`, `10m`, `2h` or `1d`. Returns seconds. */
export function stepTime(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? NaN);
  if (seconds >= 1 && seconds <= MAX_STEP_SECONDS) return seconds;
  throw new InvalidArgumentError("Expected a duration from 1s to 7d, such as 10m.");
}

/**
 * Returns the rolling release that the flags request, or `undefined` to serve the deployment to
 * everyone immediately.
 */
export function rollingOf({ rolling, every, share }: RollingFlags): RollingPlan | undefined {
  if (share !== undefined && (rolling !== undefined || every !== undefined)) {
    throw new CliError("usage", "Use either --share or --rolling with --every");
  }
  if (share !== undefined) return { steps: [share], everySeconds: null };
  if (rolling !== undefined) return { steps: rolling, everySeconds: every ?? STEP_SECONDS };
  if (every === undefined) return undefined;
  throw new CliError("usage", "--every is the duration of each step: add --rolling 5,25,100");
}

/** Reports that a release is in progress, and how to follow it. */
export function reportRelease(ctx: Context, deployment: Deployment, plan: RollingPlan): void {
  const flag = ["--project-id", deployment.project];
  ctx.ui.done(
    "deploy",
    `${plan.steps[0]}% of the visitors to ${deployment.urls.production} see ${deployment.id}`,
  );
  ctx.ui.note(
    `Check its progress with "${ctx.lines.of("releases", ...flag)}", ` +
      `end it with "${ctx.lines.of("releases", "finish", ...flag)}" ` +
      `or "${ctx.lines.of("releases", "withdraw", ...flag)}"`,
  );
}
