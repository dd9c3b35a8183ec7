/**
 * The tracer, behind a module of ours: bundled, a CommonJS package that is imported
 * late has no names of its own.
 *
 * @module
 */
export { nodeFileTrace } from "@vercel/nft";
