/**
 * The ISR cache (incremental static regeneration): pages of servers that are kept
 * for a route's `revalidate` seconds and served stale while they are refreshed.
 *
 * @module
 */
export { ROUTER_FIELDS } from "./decide_page.ts";
export { IsrCache, type IsrCacheOptions } from "./isr_cache.ts";
export { DEFAULT_ISR_MEMORY_BYTES, IsrMemory } from "./isr_memory.ts";
export type { PageOptions } from "./page_context.ts";
export type { IsrStore, PageRequest, Requested } from "./types.ts";
