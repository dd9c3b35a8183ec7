/**
 * `/v1/projects/{project}/rules`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { ruleCounts, type SiteDirectory } from "../../edge/mod.ts";
import { ifMatchHolds, isEntityTagList } from "../../lib/entity_tag.ts";
import { jsonParts } from "../../lib/json_steps.ts";
import { inTurns } from "../../lib/next_turn.ts";
import type { Caller } from "../core/access/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { Precondition, RulesService, VersionedRules } from "./rules_service.ts";
import type { RulesStore } from "./rules_store.ts";

export interface RulesRouteServices {
  readonly projects: ProjectStore;
  readonly rules: RulesStore;
  readonly service: RulesService;
  readonly sites: SiteDirectory;
  readonly addresses: Addresses;
}

/**
 * Makes the test from `If-Match` whether rules of a version are those that the
 * writer has seen (RFC 9110, 13.1.1).
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
    `Send If-Match with the ETag of GET on the same path, such as "none"`,
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

export function bindRulesRoutes(router: Router, services: RulesRouteServices): void {
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
    return {
      items: page.items.map((revision) => ({
        revisionId: revision.revisionId,
        ruleCount: revision.ruleCount,
        publishedAt: new Date(revision.publishedAt).toISOString(),
        publishedBy: revision.publishedBy,
        active: revision.revisionId === published.revision?.revisionId,
      })),
      nextCursor: page.nextCursor,
    };
  });

  router.guarded(endpoints.listRuleCounters, async (caller, { params }) => {
    const project = await find(caller, params.project);
    const site = await sites.resolve(addresses.hostname(project.name));
    const counts = site === undefined ? [] : ruleCounts(site);
    return { items: counts.map(({ ruleId, count }) => ({ ruleId, matches: count })) };
  });
}
