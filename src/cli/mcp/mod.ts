/**
 * svc for agents, over the Model Context Protocol.
 *
 * @module
 */
export { MCP } from "./group.ts";
