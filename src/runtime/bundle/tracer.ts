/**
 * The tracer, behind a module of ours: bundled, a CommonJS package that is imported
 * late has no separate names.
 *
 * @module
 */
export { nodeFileTrace } from "@vercel/nft";
