/**
 * Composes published rules.
 *
 * @module
 */
import type { SiteDirectory } from "../../edge/mod.ts";
import { asksForAsn, type RuntimeRuleSet } from "../../rules/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { keys, keysBelow } from "../core/store/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { ProjectRecord, ProjectStore } from "../projects/mod.ts";
import { bindRulesRoutes } from "./routes.ts";
import { readRevision, RulesService } from "./rules_service.ts";
import { RulesStore } from "./rules_store.ts";
import type { PlatformLog } from "../core/log.ts";

interface NetworkWarningParts {
  projects(): AsyncIterable<ProjectRecord>;
  /** The rules that production of a project follows. */
  rulesOf(project: ProjectRecord): Promise<RuntimeRuleSet | null>;
  readonly log: (entry: PlatformLog) => void;
  /** Aborted when the platform stops. */
  readonly signal: AbortSignal;
}

/** Most projects that are named in warnings; the rest is only counted. */
const MAX_NAMED = 20;

/** Warns, for each project, of rules in production with conditions on `asn`. */
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
    message: `Rules of ${found - MAX_NAMED} more projects have conditions on asn too`,
  });
}

export interface Rules {
  readonly rules: RulesStore;
  /** The rules published over a project's deployments; `undefined` where there are none. */
  publishedOf(projectId: string): Promise<RuntimeRuleSet | undefined>;
}

/** The rules of projects, which sites are compiled with. */
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
  /** Whether the edge can find the network of an address. */
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
