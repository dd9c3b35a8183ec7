/** @module The commands in `cli/forms/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const FORMS: CommandGroup = {
  name: "forms",
  section: "Projects and deployments",
  summary: "Read the form submissions of your site",
  commands: [
    {
      name: "list",
      summary: "List the forms of an environment with their counts",
      load: () => import("./list.ts"),
    },
    {
      name: "submissions",
      summary: "Show the newest submissions of a form",
      load: () => import("./submissions.ts"),
    },
    {
      name: "export",
      summary: "Export all submissions of a form as CSV or JSON",
      load: () => import("./export.ts"),
    },
    {
      name: "delete",
      summary: "Delete submissions of a form and their files",
      load: () => import("./delete.ts"),
    },
  ],
};
