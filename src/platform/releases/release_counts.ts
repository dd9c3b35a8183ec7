/**
 * Counts of requests to both sides of rolling releases. Each process stores its edge's counts, and
 * the leading node reads them.
 *
 * @module
 */
import * as z from "zod";
import type { RollingHost } from "../../edge/mod.ts";
import type { RecordStore } from "../../store/mod.ts";
import { type DeploymentCounts, Distribution, TrafficCounts } from "../../traffic/mod.ts";
import { keys, readAll } from "../core/store/mod.ts";
import { addCounts, NO_COUNTS, type SideCounts } from "./judge_release.ts";

const sideCounts = z.object({
  requests: z.number(),
  errors: z.number(),
  failures: z.number(),
  times: z.array(z.tuple([z.number(), z.number()])),
});
const countsRecord = z.object({ old: sideCounts, fresh: sideCounts });

/** One process's counts for a release at one percentage of visitors. */
interface Counted {
  readonly host: RollingHost;
  old: SideCounts;
  fresh: SideCounts;
  isDirty: boolean;
}

/** A release's counts, by percentage of visitors. */
export type ReleaseCounts = ReadonlyMap<
  number,
  { readonly old: SideCounts; readonly fresh: SideCounts }
>;

function sideOf(encoded: DeploymentCounts["counts"]): SideCounts {
  const counts = TrafficCounts.decode(encoded);
  const times = new Distribution();
  for (const each of counts.times().values()) times.merge(each.encode());
  let errors = 0;
  for (const [status, count] of counts.statuses()) if (status >= 400) errors += count;
  return {
    requests: counts.requests,
    errors,
    failures: counts.failures(),
    times: times.encode(),
  };
}

interface ReleaseCounterOptions {
  readonly kv: RecordStore;
  /** Identifies this process. */
  readonly instance: string;
  /** Returns the rolling releases that the edge serves. */
  rolling(): readonly RollingHost[];
}

export class ReleaseCounter {
  readonly #counted = new Map<string, Counted>();

  readonly #options: ReleaseCounterOptions;

  constructor(options: ReleaseCounterOptions) {
    this.#options = options;
  }

  /** Adds the edge's counts. Does nothing if no release is in progress. */
  readonly add = (counts: readonly DeploymentCounts[]): void => {
    const hosts = this.#options.rolling();
    const under = new Set(hosts.map(nameOf));
    for (const name of this.#counted.keys()) if (!under.has(name)) this.#counted.delete(name);
    for (const host of hosts) {
      const known = this.#counted.get(nameOf(host)) ??
        { host, old: NO_COUNTS, fresh: NO_COUNTS, isDirty: false };
      for (const { deploymentId, counts: encoded } of counts) {
        const side = deploymentId === host.deploymentId
          ? "fresh"
          : deploymentId === host.from
          ? "old"
          : undefined;
        if (side === undefined) continue;
        known[side] = addCounts([known[side], sideOf(encoded)]);
        known.isDirty = true;
      }
      this.#counted.set(nameOf(host), known);
    }
  };

  /** Writes the counts that have changed. */
  async save(): Promise<void> {
    const { kv, instance } = this.#options;
    for (const counted of this.#counted.values()) {
      if (!counted.isDirty) continue;
      counted.isDirty = false;
      const { host: { projectId, releaseId, share }, old, fresh } = counted;
      await kv.atomic()
        .set(keys.releaseCount(projectId, releaseId, share, instance), { old, fresh })
        .commit();
    }
  }

  /** Returns the counts of all processes for a release. */
  async read(projectId: string, releaseId: string): Promise<ReleaseCounts> {
    const byShare = new Map<number, { old: SideCounts; fresh: SideCounts }>();
    const prefix = [...keys.releaseCounts(projectId), releaseId];
    for await (const { key, value } of readAll(this.#options.kv, prefix, countsRecord)) {
      const share = Number(key.at(-2));
      const known = byShare.get(share) ?? { old: NO_COUNTS, fresh: NO_COUNTS };
      byShare.set(share, {
        old: addCounts([known.old, value.old]),
        fresh: addCounts([known.fresh, value.fresh]),
      });
    }
    return byShare;
  }
}

const nameOf = ({ releaseId, share }: RollingHost): string => `${releaseId} ${share}`;
