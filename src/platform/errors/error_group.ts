/** An error with all of its occurrences, added up across all nodes. Pure. @module */
import * as z from "zod";

/** Maximum number of occurrences and deployments to keep for each error group, latest first. */
const MAX_SAMPLES = 5;
const MAX_DEPLOYMENTS = 10;

const sample = z.object({
  time: z.number(),
  deploymentId: z.string(),
  requestId: z.string().nullable(),
  method: z.string().nullable(),
  path: z.string().nullable(),
  status: z.number().nullable(),
  message: z.string(),
});
export type ErrorSample = z.infer<typeof sample>;

const seenIn = z.object({
  deploymentId: z.string(),
  count: z.number(),
  firstSeen: z.number(),
  lastSeen: z.number(),
});

export const errorGroup = z.object({
  version: z.literal(1),
  id: z.string(),
  kind: z.enum(["function", "server", "response"]),
  source: z.string(),
  title: z.string(),
  stack: z.string().nullable(),
  count: z.number(),
  firstSeen: z.number(),
  lastSeen: z.number(),
  /** The deployment in which the error was first seen. */
  broughtBy: z.string(),
  /** The latest deployments in which the error was seen. */
  deployments: z.array(seenIn),
  /** The latest first. */
  samples: z.array(sample),
});
export type ErrorGroup = z.infer<typeof errorGroup>;

type SeenIn = z.infer<typeof seenIn>;

function mergeDeployments(left: readonly SeenIn[], right: readonly SeenIn[]): SeenIn[] {
  const byId = new Map(left.map((each) => [each.deploymentId, each]));
  for (const each of right) {
    const known = byId.get(each.deploymentId);
    byId.set(
      each.deploymentId,
      known === undefined ? each : {
        deploymentId: each.deploymentId,
        count: known.count + each.count,
        firstSeen: Math.min(known.firstSeen, each.firstSeen),
        lastSeen: Math.max(known.lastSeen, each.lastSeen),
      },
    );
  }
  return [...byId.values()].sort((a, b) => b.lastSeen - a.lastSeen).slice(0, MAX_DEPLOYMENTS);
}

/** Adds two counts of the same error. */
export function mergeGroups(left: ErrorGroup, right: ErrorGroup): ErrorGroup {
  const [earlier, later] = left.firstSeen <= right.firstSeen ? [left, right] : [right, left];
  const latest = left.lastSeen >= right.lastSeen ? left : right;
  return {
    ...latest,
    count: left.count + right.count,
    firstSeen: earlier.firstSeen,
    lastSeen: Math.max(earlier.lastSeen, later.lastSeen),
    broughtBy: earlier.broughtBy,
    deployments: mergeDeployments(left.deployments, right.deployments),
    samples: [...left.samples, ...right.samples].sort((a, b) => b.time - a.time)
      .slice(0, MAX_SAMPLES),
  };
}

export function seenOnce(
  described: Pick<ErrorGroup, "id" | "kind" | "source" | "title" | "stack">,
  seen: ErrorSample,
): ErrorGroup {
  const { time, deploymentId } = seen;
  return {
    version: 1,
    ...described,
    count: 1,
    firstSeen: time,
    lastSeen: time,
    broughtBy: deploymentId,
    samples: [seen],
    deployments: [{ deploymentId, count: 1, firstSeen: time, lastSeen: time }],
  };
}
