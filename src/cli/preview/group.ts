/**
 * The command of `cli/preview/`, with what loads it.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const PREVIEW: CommandLeaf = {
  name: "preview",
  section: "Projects and deployments",
  summary: "Serve the built output on this machine, as a platform does",
  load: () => import("./preview.ts"),
};
