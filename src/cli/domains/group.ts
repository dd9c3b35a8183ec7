/** @module The commands in `cli/domains/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const DOMAINS: CommandGroup = {
  name: "domains",
  section: "Configuration",
  summary: "Manage custom domains",
  commands: [
    {
      name: "list",
      summary: "List custom domains",
      load: () => import("./list.ts"),
    },
    {
      name: "add",
      summary: "Add a domain and show the DNS records to set",
      load: () => import("./add.ts"),
    },
    {
      name: "remove",
      summary: "Remove a domain",
      load: () => import("./remove.ts"),
    },
    {
      name: "verify",
      summary: "Check a domain's DNS records",
      load: () => import("./verify.ts"),
    },
  ],
};
