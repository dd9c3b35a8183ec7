/**
 * Custom domains: proof by DNS records, and which host shows which project.
 *
 * @module
 */
export { createDomains, type Domains, type DomainSetup } from "./create_domains.ts";
export type { DomainStore } from "./domain_store.ts";
export { ordersCertificates, readDomainOptions } from "./domain_settings.ts";
