/**
 * Custom domains and their DNS records.
 *
 * @module
 */
export { DOMAINS } from "./group.ts";
export { listDomains } from "./project_domains.ts";
