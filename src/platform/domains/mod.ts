/**
 * Custom domains: proof of ownership through DNS records, and the mapping from hosts to projects.
 *
 * @module
 */
export { canonicalAddress } from "./address_text.ts";
export { createDomains, type Domains, type DomainSetup } from "./create_domains.ts";
export type { DomainStore } from "./domain_store.ts";
export { nameServersOf, ordersCertificates, readDomainOptions } from "./domain_settings.ts";
