/**
 * svc for agents over HTTP: `/mcp`.
 *
 * @module
 */
export { bindMcp } from "./mcp_routes.ts";
