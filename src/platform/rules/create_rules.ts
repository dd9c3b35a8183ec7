/** Wires up published rules. @module */
import { ruleCounts, type SiteDirectory } from "../../edge/mod.ts";
import { asksForAsn, type RuntimeRuleSet } from "../../rules/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { keys, keysBelow } from "../core/store/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import {
  type Precondition,
  readRevision,
  RulesService,
  type VersionedRules,
} from "./rules_service.ts";
import { type Published, type RevisionRecord, RulesStore } from "./rules_store.ts";
import type { RulesRevision } from "../../contract/rules.ts";
import type { PlatformLog } from "../core/log.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { ifMatchHolds, isEntityTagList } from "../../lib/entity_tag.ts";
import { jsonParts } from "../../lib/json_steps.ts";
import { inTurns } from "../../lib/next_turn.ts";
import type { Caller } from "../core/access/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { Failure, type Router } from "../core/http/mod.ts";

interface RulesRouteServices {
  readonly projects: ProjectStore;
  readonly rules: RulesStore;
  readonly service: RulesService;
  readonly sites: SiteDirectory;
  readonly addresses: Addresses;
}

/**
 * Tests `If-Match`, in which the writer names the version of the rules that it has read (RFC 9110,
 * 13.1.1).
 */
function preconditionOf(request: Request): Precondition {
  const header = request.headers.get("if-match");
  if (header !== null && isEntityTagList(header)) {
    return {
      holds: (version) => ifMatchHolds(header, tagOf(version)),
      isWeak: header.includes("W/"),
    };
  }
  throw new Failure(
    header === null ? "precondition_failed" : "invalid_request",
    `Send If-Match with the ETag from GET on the same path, such as "none"`,
  );
}

const tagOf = (version: string): string => `"${version}"`;

async function answer({ active, version }: VersionedRules): Promise<Response> {
  const text = (await inTurns(jsonParts(active))).join("");
  return new Response(text, {
    headers: {
      "content-type": "application/json",
      etag: tagOf(version),
      "cache-control": "no-store",
    },
  });
}

function revisionToWire(
  { revisionId, ruleCount, publishedAt, publishedBy }: RevisionRecord,
  published: Published,
): RulesRevision {
  return {
    revisionId,
    ruleCount,
    publishedAt: new Date(publishedAt).toISOString(),
    publishedBy,
    active: revisionId === published.revision?.revisionId,
  };
}

function bindRulesRoutes(router: Router, services: RulesRouteServices): void {
  const { projects, rules, service, sites, addresses } = services;
  const find = (caller: Caller, name: string) => findProject(projects, caller, name);

  router.guarded(
    endpoints.getRules,
    async (caller, { params }) => answer(await service.active(await find(caller, params.project))),
  );

  router.guarded(endpoints.putRules, async (caller, { params, body, request, note }) => {
    const precondition = preconditionOf(request);
    const project = await find(caller, params.project);
    const before = await service.active(project);
    const published = await service.publish(project, { value: body, caller, precondition });
    note({ before: before.active, after: published.active });
    return answer(published);
  });

  router.guarded(endpoints.deleteRules, async (caller, { params, request, note }) => {
    const precondition = preconditionOf(request);
    const project = await find(caller, params.project);
    const before = await service.active(project);
    const removed = await service.remove(project, precondition);
    note({ before: before.active, after: removed.active });
    return answer(removed);
  });

  router.guarded(endpoints.restoreRules, async (caller, { params, request, note }) => {
    const precondition = preconditionOf(request);
    const project = await find(caller, params.project);
    const { revision: revisionId } = params;
    const before = await service.active(project);
    const restored = await service.restore(project, { revisionId, caller, precondition });
    note({ before: before.active, after: restored.active });
    return answer(restored);
  });

  router.guarded(endpoints.listRuleRevisions, async (caller, { params, query }) => {
    const project = await find(caller, params.project);
    const [page, published] = await Promise.all([
      rules.revisions(project.id, query),
      rules.published(project.id),
    ]);
    const items = page.items.map((revision) => revisionToWire(revision, published));
    return { items, nextCursor: page.nextCursor };
  });

  router.guarded(endpoints.getRuleRevision, async (caller, { params }) => {
    const project = await find(caller, params.project);
    const [{ revision, ruleSet }, published] = await Promise.all([
      service.revision(project, params.revision),
      rules.published(project.id),
    ]);
    return { ...revisionToWire(revision, published), ruleSet };
  });

  router.guarded(endpoints.listRuleCounters, async (caller, { params }) => {
    const project = await find(caller, params.project);
    const site = await sites.resolve(addresses.hostname(project.name));
    const counts = site === undefined ? [] : ruleCounts(site);
    return { items: counts.map(({ ruleId, count }) => ({ ruleId, matches: count })) };
  });
}

interface NetworkWarningParts {
  projects(): AsyncIterable<ProjectRecord>;
  /** Returns the rules that are in effect for a project's production host. */
  rulesOf(project: ProjectRecord): Promise<RuntimeRuleSet | null>;
  readonly log: (entry: PlatformLog) => void;
  /** Aborted when the platform stops. */
  readonly signal: AbortSignal;
}

/** Maximum number of projects to name in warnings. Further projects are only counted. */
const MAX_NAMED = 20;

/** Logs a warning for each project whose production rules have conditions on `asn`. */
async function warnOfNetworks(parts: NetworkWarningParts): Promise<void> {
  const { log, signal } = parts;
  let found = 0;
  for await (const project of parts.projects()) {
    if (signal.aborted) return;
    const rules = await parts.rulesOf(project);
    const ids = rules === null ? [] : asksForAsn(rules);
    if (ids.length === 0) continue;
    found += 1;
    if (found > MAX_NAMED) continue;
    const named = ids.slice(0, MAX_NAMED).map((id) => `"${id}"`).join(", ");
    const message =
      `Rules of project ${project.name} have asn conditions that never match: ${named}. The operator can set an ASN database with --asn`;
    log({ level: "warn", message });
  }
  if (found <= MAX_NAMED) return;
  log({
    level: "warn",
    message: `Rules of ${found - MAX_NAMED} other projects also have asn conditions`,
  });
}

export interface Rules {
  readonly rules: RulesStore;
  /**
   * Returns a project's published rules, which override those of its deployments; `undefined` if it
   * has none.
   */
  publishedOf(projectId: string): Promise<RuntimeRuleSet | undefined>;
}

/** Opens the rules of projects, which are compiled into the projects' sites. */
export function openRules({ kv, vault }: Pick<Foundation, "kv" | "vault">): Rules {
  const rules = new RulesStore(kv);
  return {
    rules,
    async publishedOf(projectId) {
      const { revision } = await rules.published(projectId);
      return revision === null ? undefined : await readRevision(vault, revision);
    },
  };
}

/** Publishes rules, and reads those in effect. */
export function createRules(foundation: Foundation, parts: {
  readonly rules: RulesStore;
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly sites: SiteDirectory;
  /** Whether the edge can find the network to which an IP address belongs. */
  readonly knowsNetworks: boolean;
}): Capability {
  const { kv, addresses, closing, log } = foundation;
  const { projects } = parts;
  const service = new RulesService({ ...foundation, ...parts });
  let looked: Promise<void> | undefined;
  return {
    name: "rules",
    neededBlobs: () => parts.rules.blobs(),
    bindRoutes: (router) => bindRulesRoutes(router, { ...parts, addresses, service }),
    recover() {
      if (parts.knowsNetworks) return Promise.resolve();
      const rulesOf = service.inEffect.bind(service);
      looked = warnOfNetworks({ projects: () => projects.all(), rulesOf, log, signal: closing })
        .catch((cause) =>
          log({ level: "warn", message: `Cannot check rules for conditions on asn: ${cause}` })
        );
      return Promise.resolve();
    },
    async storeChanged(changed) {
      for (const [family, projectId] of changed) {
        if (family !== "published_rules") continue;
        for (const site of parts.sites.production()) {
          if (site.projectId === projectId) await parts.sites.refreshProduction(site.hostname);
        }
      }
    },
    async rereadStore() {
      for (const { hostname } of parts.sites.production()) {
        await parts.sites.refreshProduction(hostname);
      }
    },
    close: () => looked,
    async *projectKeys(projectId) {
      yield keys.publishedRules(projectId);
      yield* keysBelow(kv, keys.rulesRevisions(projectId));
    },
  };
}
