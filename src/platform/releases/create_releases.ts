/** Wires up rolling releases. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { KEPT_RELEASES } from "../../contract/releases.ts";
import type { SiteDirectory } from "../../edge/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { type Rounds, startRounds } from "../../lib/rounds.ts";
import type { DeploymentCounts } from "../../traffic/mod.ts";
import type { AuditLog } from "../audit/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { keys, keysBelow } from "../core/store/mod.ts";
import { type DeploymentService, openReleases } from "../deployments/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import { ReleaseCounter } from "./release_counts.ts";
import { ReleaseManager } from "./release_manager.ts";

/** Interval at which releases are evaluated, in milliseconds. */
const ROUND_MS = 2000;

const BY_HAND = { finish: "Finished manually", withdraw: "Withdrawn manually" } as const;

interface ReleaseParts {
  readonly projects: ProjectStore;
  readonly sites: Pick<SiteDirectory, "rolling">;
  readonly deploymentService: Pick<DeploymentService, "rolling">;
  readonly audit: Pick<AuditLog, "record">;
  /** Adds a listener for the counts that the edge collects. */
  onCounts(listen: (counts: readonly DeploymentCounts[]) => void): void;
  /** Collects the edge's current counts. */
  collect(): Promise<void>;
}

export function createReleases(
  { kv, nodes, now, onTrouble }: Foundation,
  { projects, sites, audit, deploymentService: { rolling }, onCounts, collect }: ReleaseParts,
): Capability {
  const table = openReleases(kv);
  const counter = new ReleaseCounter({
    kv,
    instance: nodes.instance,
    rolling: () => sites.rolling(),
  });
  onCounts(counter.add);
  const collectIfAny = async () => {
    if (sites.rolling().length > 0) await collect();
  };
  const manager = new ReleaseManager({
    table,
    counter,
    rolling,
    audit,
    collect: collectIfAny,
    nodes,
    now,
    onTrouble,
  });
  let rounds: Rounds | undefined;
  return {
    name: "releases",
    bindRoutes(router) {
      router.guarded(endpoints.listReleases, async (caller, { params }) => {
        const project = await findProject(projects, caller, params.project);
        await collectIfAny();
        await counter.save();
        return { items: await manager.list(project.id, KEPT_RELEASES) };
      });
      for (const how of ["finish", "withdraw"] as const) {
        const endpoint = endpoints[`${how}Release`];
        router.guarded(endpoint, async (caller, { params, note }) => {
          const project = await findProject(projects, caller, params.project);
          note({ before: { project: project.name } });
          const owner = { projectId: project.id, workspaceId: project.workspaceId };
          const { release } = await rolling[how](owner, BY_HAND[how]);
          return await manager.toWire(release);
        });
      }
    },
    whenListening() {
      rounds = startRounds({
        firstMs: ROUND_MS,
        everyMs: ROUND_MS,
        run: () => manager.round(),
        onError: (error) => onTrouble(`Cannot evaluate releases: ${messageOf(error)}`),
      });
    },
    close: () => rounds?.close(),
    async *projectKeys(projectId) {
      yield keys.runningRelease(projectId);
      yield* keysBelow(kv, keys.releases(projectId));
      yield* keysBelow(kv, keys.releaseCounts(projectId));
    },
  };
}
