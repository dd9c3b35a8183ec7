/**
 * The server-rendered pages: the platform in a browser. They call what the API calls, and nothing
 * below depends on them.
 *
 * @module
 */
export { showFailure } from "./visit/page_binder.tsx";
export { bindPages } from "./routes.ts";
export type { ClientLookup } from "./visit/client_facts.ts";
export { bindUnsubscribe } from "./notifications/unsubscribe_routes.tsx";
