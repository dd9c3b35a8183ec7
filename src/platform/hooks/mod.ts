/** Deploy hooks: secret URLs that build and deploy a commit when they are called. @module */
export { createHooks } from "./create_hooks.ts";
export type { ReportPull } from "./forge_service.ts";
export { type PullRecord, PullStore } from "./pull_store.ts";
