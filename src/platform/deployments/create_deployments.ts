/** Wires up deployments and their sites on the edge. @module */
import { MAX_COUNTED } from "../../contract/usage.ts";
import type { SiteDirectory } from "../../edge/mod.ts";
import { formatCount } from "../../lib/format.ts";
import { type Rounds, startRounds } from "../../lib/rounds.ts";
import type { Capability } from "../core/capability.ts";
import { noteEvent } from "../core/events/mod.ts";
import type { Foundation } from "../core/foundation.ts";
import { countBelow, hasDamagedRecords, keys, keysBelow } from "../core/store/mod.ts";
import { environmentLabel, type EnvironmentStore } from "../environments/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import type { VariableService, VariableStore } from "../variables/mod.ts";
import { ReleaseChecker } from "./checks/release_checks.ts";
import type { AskEdge } from "./checks/check_request.ts";
import { bindBlobRoutes } from "./blob_routes.ts";
import { closeIdleUploads } from "./close_idle_uploads.ts";
import { type DeploymentRecord, isServed } from "./deployment.ts";
import { deploymentEvent } from "./deployment_event.ts";
import { DeploymentService } from "./deployment_service.ts";
import { DeploymentStore } from "./deployment_store.ts";
import { followHosts, rereadHosts } from "./follow_hosts.ts";
import { openSites, pointHosts, type SiteParts } from "./open_sites.ts";
import { OpenUploads, uploadKeys } from "./open_uploads.ts";
import { bindDeploymentRoutes } from "./routes.ts";
import { redeploy } from "./redeploy.ts";
import { ReferenceFollower } from "./reference_follower.ts";
import type { DeployedDatabases, DeployedFunctions, DeployedServers } from "./running_code.ts";
import { sweep, type SweepServices } from "./sweep.ts";
import type { Lease, RecordKey, RecordStore } from "../../store/mod.ts";

export interface Deployments {
  readonly sites: SiteDirectory;
  readonly deploymentService: DeploymentService;
  readonly capability: Capability;
}

interface DeploymentParts {
  readonly deployments: DeploymentStore;
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly variables: VariableStore;
  readonly variableService: VariableService;
  readonly computeService: DeployedServers;
  readonly functionService: DeployedFunctions;
  readonly publishedRules: SiteParts["publishedRules"];
  readonly accessOf: SiteParts["accessOf"];
  readonly objectsOf: SiteParts["objectsOf"];
  readonly formsOf: SiteParts["formsOf"];
  /** The key that signs tokens for protected hosts. */
  readonly accessKey: () => Promise<Uint8Array>;
  readonly askEdge: AskEdge;
  /** Collects the current counts from this process's edge. */
  collectCounts(): Promise<void>;
  readonly otherBlobs: SweepServices["otherBlobs"];
  readonly databases: DeployedDatabases;
  /**
   * Cleans up after a stopped deployment: cancels its build, and removes database branches that no
   * preview needs anymore.
   */
  onStopped(deployment: DeploymentRecord, lease?: Lease): Promise<void>;
}

export function openDeployments({ kv, addresses }: Foundation): DeploymentStore {
  return new DeploymentStore(
    kv,
    (operation, moment, deployment) =>
      noteEvent(operation, deploymentEvent(moment, deployment, addresses)),
  );
}

/** Finds the live deployment that a host label serves. */
export const shownBy = (deployments: DeploymentStore) => async (label: string) => {
  const host = await deployments.findHost(label);
  if (!host?.deploymentId) return undefined;
  const shown = await deployments.find(host.projectId, host.deploymentId);
  return shown !== undefined && isServed(shown.status) ? shown : undefined;
};

/** How often to check uploads, in milliseconds. */
const UPLOADS_EVERY_MS = 30_000;

async function* deploymentKeys(kv: RecordStore, projectId: string): AsyncGenerator<RecordKey> {
  for await (const key of keysBelow(kv, keys.deployments(projectId))) {
    yield keys.deploymentOwner(String(key[2]));
    yield keys.deploymentVariables(String(key[2]));
    yield key;
  }
}

/** Regularly closes uploads that no longer make progress. */
function watchUploads(
  { deployments, uploads }: { deployments: DeploymentStore; uploads: OpenUploads },
  { addresses, events, now, log }: Foundation,
): Rounds {
  const startedAt = now();
  return startRounds({
    firstMs: UPLOADS_EVERY_MS,
    everyMs: UPLOADS_EVERY_MS,
    async run() {
      const services = { deployments, uploads, addresses, raiseEvent: events.raise };
      const count = await closeIdleUploads(services, { now: now(), startedAt });
      if (count > 0) {
        log({ level: "info", message: `Closed ${formatCount(count, "interrupted upload")}` });
      }
    },
    onError: (error) => log({ level: "error", message: `Cannot check uploads: ${error}` }),
  });
}

/** How often to stop servers and functions that open pages no longer need, in milliseconds. */
const PINS_EVERY_MS = 30_000;

/**
 * Regularly stops the servers and functions of replaced deployments whose pages are no longer open.
 */
function endUnusedCode(
  sites: SiteDirectory,
  { computeService, functionService }: DeploymentParts,
  { log }: Foundation,
): Rounds {
  return startRounds({
    firstMs: PINS_EVERY_MS,
    everyMs: PINS_EVERY_MS,
    run() {
      const ended = sites.takeEndedPins();
      computeService.retire(ended);
      functionService.retire(ended);
      return Promise.resolve();
    },
    onError: (error) => log({ level: "error", message: `Cannot stop unused servers: ${error}` }),
  });
}

/** How often to check whether URLs in variables have changed, in milliseconds. */
const REFERENCES_EVERY_MS = 10_000;

/** Regularly redeploys deployments that refer to a changed URL. */
function followReferences(
  foundation: Foundation,
  parts: DeploymentParts,
  { service, sites }: { readonly service: DeploymentService; readonly sites: SiteDirectory },
): Rounds {
  const { nodes, log, addresses, events, now, random } = foundation;
  const { deployments, variableService, environments } = parts;
  const follower = new ReferenceFollower({
    ...parts,
    nodes,
    hostsRevision: () => sites.revision,
    redeploy: (deployment, project) =>
      redeploy(
        {
          deployments,
          variables: variableService,
          now,
          random,
          service,
          addresses,
          raiseEvent: events.raise,
          hasEnvironment: async (projectId, name) =>
            await environments.findName(projectId, name) !== undefined,
        },
        deployment,
        { project, startedBy: deployment.startedBy },
      ),
    log: (message) => log({ level: "info", message }),
  });
  return startRounds({
    firstMs: REFERENCES_EVERY_MS,
    everyMs: REFERENCES_EVERY_MS,
    run: () => follower.round(),
    onError: (error) =>
      log({ level: "error", message: `Cannot check references for changes: ${error}` }),
  });
}

/** Runs one round of housekeeping. Returns lines for the log. */
async function cleanUp(
  { deployments, otherBlobs }: Pick<DeploymentParts, "deployments" | "otherBlobs">,
  { kv, vault, addresses, events, now, log }: Foundation,
  lease: Lease,
): Promise<readonly string[]> {
  const { abandoned, removedBlobs } = await sweep(
    {
      deployments,
      otherBlobs,
      vault,
      addresses,
      raiseEvent: events.raise,
      hasDamagedRecords: () => hasDamagedRecords(kv),
      onDamaged: (deployment, cause) =>
        log({
          level: "error",
          message: `Cannot read the content of deployment ${deployment.id}: ${cause}. ` +
            "No blob is removed until that is fixed",
        }),
    },
    now(),
    lease,
  );
  return [
    ...(abandoned === 0
      ? []
      : [`marked ${formatCount(abandoned, "unfinished deployment")} as failed`]),
    ...(removedBlobs === 0 ? [] : [`removed ${formatCount(removedBlobs, "blob")}`]),
  ];
}

export function createDeployments(foundation: Foundation, parts: DeploymentParts): Deployments {
  const { kv, vault, feed, addresses, events, now } = foundation;
  const { deployments, projects } = parts;
  const sites = openSites({ ...parts, vault, feed, now, onTrouble: foundation.onTrouble });
  const uploads = new OpenUploads(kv, now);
  const checker = new ReleaseChecker({
    ...foundation,
    key: parts.accessKey,
    ask: parts.askEdge,
  });
  const services = { ...foundation, ...parts, sites, uploads, checker, raiseEvent: events.raise };
  const deploymentService = new DeploymentService(services);
  let rounds: readonly Rounds[] = [];
  return {
    sites,
    deploymentService,
    capability: {
      name: "deployments",
      bindRoutes(router) {
        bindBlobRoutes(router, { vault, uploads, now });
        bindDeploymentRoutes(router, { ...services, service: deploymentService });
      },
      async projectUsage(projectId) {
        const used = await countBelow(foundation.kv, keys.deployments(projectId), MAX_COUNTED);
        return [{ subject: "deployments", of: null, used, limit: null }];
      },
      recover: () => pointHosts(sites, { projects, deployments, addresses }),
      storeChanged: (changed) => followHosts({ ...services, sites }, changed),
      rereadStore: () => rereadHosts({ ...services, sites }),
      whenListening() {
        rounds = [
          watchUploads({ deployments, uploads }, foundation),
          endUnusedCode(sites, parts, foundation),
          followReferences(foundation, parts, { service: deploymentService, sites }),
        ];
      },
      async close() {
        await Promise.all(rounds.map((each) => each.close()));
      },
      cleanUp: (_, lease) => cleanUp(parts, foundation, lease),
      removeEnvironment: ({ projectName, name }) =>
        sites.remove(addresses.hostname(environmentLabel(projectName, name))),
      forgetProject: (projectId) => sites.removeProject(projectId),
      async *projectKeys(projectId) {
        yield* uploadKeys(kv, projectId);
        yield* deploymentKeys(kv, projectId);
      },
    },
  };
}
