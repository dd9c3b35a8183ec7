/**
 * @module The server-rendered pages. They use the same services as the API, and no other part of
 * the platform depends on them.
 */
export { showFailure } from "./visit/page_binder.tsx";
export { bindPages } from "./routes.ts";
export type { ClientLookup } from "./visit/client_facts.ts";
export { bindUnsubscribe } from "./notifications/unsubscribe_routes.tsx";
