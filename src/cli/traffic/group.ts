/**
 * The command of `cli/traffic/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const TRAFFIC: CommandLeaf = {
  name: "traffic",
  section: "Projects and deployments",
  summary: "Show a project's requests, visitors, pages and response times",
  load: () => import("./traffic.ts"),
};
