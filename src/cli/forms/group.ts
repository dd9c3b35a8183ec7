/** @module The commands in `cli/forms/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const FORMS: CommandGroup = {
  name: "forms",
  section: "Projects and deployments",
  summary: "Read the form submissions of your site",
  commands: [
    {
      name: "list",
      summary: "List an environment's forms with their counts",
      load: () => import("./list.ts"),
    },
    {
      name: "submissions",
      summary: "Show a form's newest submissions",
      load: () => import("./submissions.ts"),
    },
    {
      name: "export",
      summary: "Export all of a form's submissions as CSV or JSON",
      load: () => import("./export.ts"),
    },
    {
      name: "delete",
      summary: "Delete a form's submissions and their files",
      load: () => import("./delete.ts"),
    },
  ],
};
