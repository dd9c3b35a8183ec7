/**
 * The command of `cli/dev/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const DEV: CommandLeaf = {
  name: "dev",
  section: "Projects and deployments",
  summary: "Work on the project behind the edge of a platform",
  load: () => import("./dev.ts"),
};
