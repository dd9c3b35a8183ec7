/**
 * Trusted publishers: workflows of GitHub Actions and GitLab CI that exchange the token of their
 * job for a key of a few minutes.
 *
 * 1. An owner adds a publisher: provider, repository, branch and what its keys may do.
 * 2. The job sends its token to `/oauth/token` (RFC 8693).
 * 3. `verifyToken()` checks it with the keys of its issuer, `readWorkflowRun()` reads what it
 *    says, `decideTrust()` decides what it gets, and `PublisherStore.exchange()` stores the key.
 *
 * @module
 */
export { ExchangeService } from "./exchange_service.ts";
export { IssuerKeys } from "./issuer_keys.ts";
export { PublisherService } from "./publisher_service.ts";
export { PublisherStore } from "./publisher_store.ts";
export { bindPublisherRoutes, exchangeFields } from "./routes.ts";
