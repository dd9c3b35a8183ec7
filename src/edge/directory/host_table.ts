/** @module Finds the site for a hostname: a subdomain of the base domain, or a custom hostname. */
import type { Site } from "../site/site.ts";
import type { DomainHosts } from "./domain_hosts.ts";
import type { SiteDirectory } from "./site_directory.ts";

/**
 * Returns the site for a hostname in canonical form, or `undefined` if the hostname has none. Hosts
 * below the base domain are looked up first.
 */
export function resolveHost(
  hostname: string,
  { sites, domains }: { readonly sites: SiteDirectory; readonly domains: DomainHosts },
): Site | Promise<Site | undefined> | undefined {
  const own = sites.resolve(hostname);
  if (own !== undefined) return own;
  const route = domains.find(hostname);
  if (route === undefined || route.redirectTo !== null) return undefined;
  const site = sites.resolve(route.host);
  const ofProject = (found: Site | undefined) =>
    found?.projectId === route.projectId ? found : undefined;
  return site instanceof Promise ? site.then(ofProject) : ofProject(site);
}
