/**
 * Which site answers on which hostname.
 *
 * @module
 */
export { DomainHosts } from "./domain_hosts.ts";
export { resolveHost } from "./host_table.ts";
export { type ProductionSite, SiteDirectory, type SiteDirectoryOptions } from "./site_directory.ts";
