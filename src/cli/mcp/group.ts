/**
 * The command of `cli/mcp/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const MCP: CommandLeaf = {
  name: "mcp",
  section: "Tool",
  summary: "Serve the tools of svc to an agent (Model Context Protocol)",
  load: () => import("./mcp.ts"),
};
