/**
 * @module The tracer. It is imported here because a dynamic CommonJS import has no named exports
 * when bundled.
 */
export { nodeFileTrace } from "@vercel/nft";
