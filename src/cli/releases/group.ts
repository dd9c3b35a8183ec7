/** @module The commands in `cli/releases/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const RELEASES: CommandGroup = {
  name: "releases",
  section: "Projects and deployments",
  summary: "Show and end rolling releases",
  fallback: "list",
  commands: [
    {
      name: "list",
      summary: "List rolling releases",
      load: () => import("./list.ts"),
    },
    {
      name: "finish",
      summary: "Serve the new deployment to everyone",
      load: () => import("./finish.ts"),
    },
    {
      name: "withdraw",
      summary: "Serve the old deployment to everyone",
      load: () => import("./withdraw.ts"),
    },
  ],
};
