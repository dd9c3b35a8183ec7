/**
 * Rolling releases: the percentage of visitors who get the new deployment grows as long as the
 * deployment works well.
 * @module
 */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

const tag = "Releases";

/** Maximum number of steps in a release. */
export const MAX_RELEASE_STEPS = 20;
/** Minimum, maximum and default duration of a step, in seconds. */
const MIN_STEP_SECONDS = 1;
export const MAX_STEP_SECONDS = 7 * 24 * 60 * 60;
export const STEP_SECONDS = 10 * 60;
/** Maximum number of releases to keep per project. */
export const KEPT_RELEASES = 20;

export const RELEASE_STATES = ["RUNNING", "FINISHED", "WITHDRAWN", "ENDED"] as const;

const share = z.int("Must be a percentage").min(1, "Must be at least 1").max(
  100,
  "Must be at most 100",
);

/** A request for a rolling release. */
export const rollingPlan = z.object({
  steps: z.array(share).min(1, "Must have at least one share")
    .max(MAX_RELEASE_STEPS, `Must have at most ${MAX_RELEASE_STEPS} shares`)
    .refine(
      (steps) => steps.every((each, index) => index === 0 || each > steps[index - 1]!),
      "Must rise from step to step",
    ).meta({
      description: "Shares of the visitors who see the new deployment, in percent, one per step",
      example: [5, 25, 100],
    }),
  everySeconds: z.int().min(MIN_STEP_SECONDS).max(MAX_STEP_SECONDS).nullable().default(null).meta({
    description: "Duration of each step; null keeps the first share until you end the release",
    example: 600,
  }),
}).strict();
export type RollingPlan = z.output<typeof rollingPlan>;

const side = z.object({
  deploymentId: uuid.describe("ID of the deployment"),
  requests: z.int().meta({ description: "Responses in this step", example: 1200 }),
  errors: z.int().meta({ description: "Responses with status 400 or more", example: 12 }),
  failures: z.int().meta({ description: "Responses with status 500 or more", example: 0 }),
  p95: z.number().nullable().meta({
    description: "Time that 95% of the responses do not exceed, in milliseconds",
    example: 42,
  }),
});

export const release = z.object({
  id: uuid.describe("ID of the release"),
  projectId: uuid.describe("ID of the project"),
  state: z.enum(RELEASE_STATES).meta({
    description:
      "`FINISHED` once everyone sees the new deployment, `WITHDRAWN` if everyone sees the old " +
      "one again, `ENDED` if another change to production ended it",
    example: "RUNNING",
  }),
  reason: z.string().nullable().meta({
    description: "Why it ended; null while it is under way",
    example: "12 of 80 responses failed (15%), 0 of 240 before",
  }),
  steps: z.array(z.int()).meta({ description: "Shares in percent", example: [5, 25, 100] }),
  share: z.int().meta({ description: "Current share, in percent", example: 25 }),
  everySeconds: z.int().nullable().meta({
    description: "Duration of each step; null if it waits for you",
    example: 600,
  }),
  old: side.describe("The deployment that production served before"),
  new: side.describe("The deployment that is being released"),
  startedAt: timestamp.describe("When it began"),
  nextAt: timestamp.nullable().describe(
    "When the next step begins; null if the release waits " +
      "for you",
  ),
  endedAt: timestamp.nullable().describe("When it ended; null while it is under way"),
}).meta({ id: "Release" });
export type Release = z.infer<typeof release>;

export const listReleases = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/releases",
  summary: "List a project's latest rolling releases, newest first",
  tag,
  params: projectParams,
  response: z.object({ items: z.array(release).describe("At most 20 releases") }),
});

export const finishRelease = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/releases/finish",
  summary: "Finish the current rolling release: everyone sees the new deployment",
  tag,
  params: projectParams,
  response: release,
});

export const withdrawRelease = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/releases/withdraw",
  summary: "Withdraw the current rolling release: everyone sees the old deployment",
  tag,
  params: projectParams,
  response: release,
});
