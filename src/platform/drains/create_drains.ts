/** Wires up drains, which send logs, errors and metrics to OTLP endpoints. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { HostHeader } from "../../lib/value_parsers.ts";
import { startRounds } from "../../lib/rounds.ts";
import { createOutboundFetch } from "../../runtime/mod.ts";
import type { AccountStore } from "../accounts/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { missingNodes } from "../core/peers/mod.ts";
import type { AccessLogs } from "../logs/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import { areDrains, type DrainRecord, DrainStore } from "./drain_record.ts";
import { SendBudget } from "./drain_sender.ts";
import { DrainService } from "./drain_service.ts";
import { Drains } from "./drains.ts";
import { type OwnerParts, RecordOwners } from "./record_owners.ts";
import type { Endpoint } from "./post_batch.ts";

const METRICS_MS = 60_000;

/** The endpoints from `--otlp`, and the headers for all of them. */
interface OperatorEndpoints {
  readonly urls: readonly string[];
  readonly headers?: readonly HostHeader[] | undefined;
}

/** Assigns headers to endpoints by host. Headers without a host belong to the first endpoint. */
export function operatorEndpoints(otlp: OperatorEndpoints | undefined): Endpoint[] {
  if (otlp === undefined) return [];
  const { urls, headers = [] } = otlp;
  const hosts = urls.map((url) => new URL(url));
  const isFor = ({ host, hostname }: URL, wanted = hosts[0]?.host) =>
    wanted === host || wanted === hostname;
  return urls.map((url, place) => {
    const own = headers.filter((each) => isFor(hosts[place]!, each.host));
    return { url, headers: Object.fromEntries(own.map(({ name, value }) => [name, value])) };
  });
}

interface DrainParts extends Pick<OwnerParts, "deployments" | "variables" | "databases"> {
  readonly projects: ProjectStore;
  readonly logs: AccessLogs;
  readonly accounts: Pick<AccountStore, "ownerId">;
  /** The operator's endpoints, if there are any. */
  readonly otlp: OperatorEndpoints | undefined;
  /** Certificates (PEM) to trust in addition to the system's. */
  readonly caCerts: readonly string[] | undefined;
}

/**
 * Returns the fields for the audit log. They contain only the URL's host, because the rest can be
 * secret.
 */
const factsOf = ({ url, headerNames }: Pick<DrainRecord, "url" | "headerNames">) => ({
  host: new URL(url).host,
  headerNames,
});

function bindDrainRoutes(
  router: Router,
  { projects, accounts }: Pick<DrainParts, "projects" | "accounts">,
  service: DrainService,
): void {
  router.guarded(endpoints.listDrains, async (caller, { params }) => {
    const project = await findProject(projects, caller, params.project);
    const { items, silent } = await service.list(project.id);
    return { items, ...missingNodes(silent) };
  });
  router.guarded(endpoints.listPlatformDrains, async (caller) => {
    if (await accounts.ownerId() !== caller.user.id) {
      throw new Failure("forbidden", "Only the platform's owner can see its drains");
    }
    const { items, silent } = await service.listPlatform();
    return { items, ...missingNodes(silent) };
  });
  router.guarded(endpoints.createDrain, async (caller, { params, body, note }) => {
    const project = await findProject(projects, caller, params.project);
    note({ after: factsOf({ url: body.url, headerNames: Object.keys(body.headers) }) });
    return await service.create(project.id, body);
  });
  router.guarded(endpoints.deleteDrain, async (caller, { params, note }) => {
    const project = await findProject(projects, caller, params.project);
    const record = await service.find(project.id, params.drain);
    note({ before: factsOf(record) });
    await service.remove(record);
    return undefined;
  });
  router.guarded(endpoints.testDrain, async (caller, { params, note }) => {
    const project = await findProject(projects, caller, params.project);
    const record = await service.find(project.id, params.drain);
    note({ before: factsOf(record) });
    return await service.test(record);
  });
}

interface ProjectDrains {
  readonly drains: Drains;
  readonly capability: Capability;
}

export function createDrains(foundation: Foundation, parts: DrainParts): ProjectDrains {
  const { kv, box, nodes, onTrouble } = foundation;
  const store = new DrainStore(kv, box);
  // The operator specifies these endpoints, so they may be on this machine.
  const operatorOutbound = createOutboundFetch({
    allowPrivate: true,
    caCerts: parts.caCerts,
  });
  const drains = new Drains({
    ...foundation,
    store,
    logs: parts.logs,
    endpoints: operatorEndpoints(parts.otlp),
    operatorOutbound: operatorOutbound.fetch,
    budget: new SendBudget(),
    owners: new RecordOwners({ ...foundation, ...parts, node: nodes.id, host: Deno.hostname() }),
  });
  const service = new DrainService({ ...foundation, store, drains });
  const onError = (error: unknown) => onTrouble(`Cannot send metrics: ${messageOf(error)}`);
  let rounds: ReturnType<typeof startRounds> | undefined;
  return {
    drains,
    capability: {
      name: "drains",
      bindRoutes: (router) => bindDrainRoutes(router, parts, service),
      recover: () => drains.load(),
      whenListening() {
        rounds = startRounds({
          firstMs: METRICS_MS,
          everyMs: METRICS_MS,
          onError,
          run: () => drains.sendMetrics(),
        });
      },
      storeChanged: (changed) => areDrains(changed) ? drains.load() : Promise.resolve(),
      rereadStore: () => drains.load(),
      async close() {
        // This aborts the requests for which a round is waiting.
        await drains.close();
        await rounds?.close();
        operatorOutbound.close();
      },
      forgetProject(projectId) {
        drains.forget(projectId);
        return Promise.resolve();
      },
      projectKeys: (projectId) => store.keysOf(projectId),
      projectUsage: async (projectId) => [await service.usage(projectId)],
    },
  };
}
