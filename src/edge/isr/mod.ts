/**
 * The ISR cache (incremental static regeneration): pages of servers that are kept
 * for a route's `revalidate` seconds and served stale while they are refreshed.
 *
 * @module
 */
export { KeptPages, type KeptPagesOptions } from "./isr_cache.ts";
export { PageMemory } from "./isr_memory.ts";
export type { PageRequest, PageVault } from "./types.ts";
