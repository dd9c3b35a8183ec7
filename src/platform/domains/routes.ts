/**
 * `/v1/projects/{project}/domains`.
 *
 * @module
 */
import type { Domain } from "../../contract/domains.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Caller } from "../core/access/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import { type DomainRecord, domainToWire } from "./domain.ts";
import type { DomainService } from "./domain_service.ts";
import type { DomainStore } from "./domain_store.ts";

export interface DomainRouteServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly domains: DomainStore;
  readonly domainService: DomainService;
  /** Returns the certificate state of a hostname. */
  certificateOf(hostname: string): Domain["certificate"];
}

export function bindDomainRoutes(router: Router, services: DomainRouteServices): void {
  const { projects, environments, domains, domainService, certificateOf } = services;

  const toWire = async (domain: DomainRecord): Promise<Domain> =>
    domainToWire(domain, {
      owner: await domains.owner(domain.zone),
      certificate: certificateOf(domain.hostname),
    });

  async function find(caller: Caller, params: { project: string; domain: string }) {
    const project = await findProject(projects, caller, params.project);
    const domain = await domains.find(project.id, params.domain);
    if (domain !== undefined) return domain;
    throw new Failure(
      "not_found",
      `Domain ${params.domain} does not exist in project "${project.name}"`,
    );
  }

  router.guarded(endpoints.listDomains, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const page = await domains.list(project.id, query);
    return { items: await Promise.all(page.items.map(toWire)), nextCursor: page.nextCursor };
  });

  router.guarded(endpoints.addDomain, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    const environment = await findEnvironmentName(environments, project, body.environment);
    const added = await domainService.add(project, { hostname: body.hostname, environment });
    return {
      domain: await toWire(added.domain),
      companion: added.companion === undefined ? null : await toWire(added.companion),
      records: added.records,
      notes: added.notes,
    };
  });

  router.guarded(endpoints.getDomain, async (caller, { params }) => {
    const domain = await find(caller, params);
    return { domain: await toWire(domain), ...await domainService.plan(domain) };
  });

  router.guarded(endpoints.verifyDomain, async (caller, { params, note }) => {
    const domain = await find(caller, params);
    note({ before: await toWire(domain) });
    const report = await domainService.verify(domain);
    return { domain: await toWire(await find(caller, params)), ...report };
  });

  router.guarded(endpoints.deleteDomain, async (caller, { params, note }) => {
    const domain = await find(caller, params);
    note({ before: domain });
    await domainService.remove(domain);
    return undefined;
  });
}
