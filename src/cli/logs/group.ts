/**
 * The commands of `cli/logs/`, with what loads each of them.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const LOGS: CommandLeaf = {
  name: "logs",
  section: "Projects and deployments",
  summary: "Show the access log of a project or deployment",
  load: () => import("./logs.ts"),
};
