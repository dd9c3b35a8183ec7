/**
 * Commands for edge rules.
 *
 * @module
 */
import type { CommandGroup } from "../command_entry.ts";

export const RULES_COMMANDS: CommandGroup = {
  name: "rules",
  section: "Rules and functions",
  summary: "Check, test and publish edge rules",
  commands: [
    {
      name: "check",
      summary: "Validate svc.rules.toml",
      load: () => import("../commands/rules_check.ts"),
    },
    {
      name: "explain",
      summary: "Tell which rules match a request, and why the others do not",
      load: () => import("../commands/rules_explain.ts"),
    },
    {
      name: "test",
      summary: "Run a table of requests and expected outcomes",
      load: () => import("../commands/rules_run_tests.ts"),
    },
    {
      name: "import",
      summary: "Make rules of a _redirects, _headers or vercel.json file",
      load: () => import("../commands/rules_import.ts"),
    },
    {
      name: "list",
      summary: "Show the rules that production uses",
      load: () => import("../commands/rules_list.ts"),
    },
    {
      name: "publish",
      summary: "Put rules into effect in production at once",
      load: () => import("../commands/rules_publish.ts"),
    },
    {
      name: "remove",
      summary: "Remove published rules from production",
      load: () => import("../commands/rules_remove.ts"),
    },
    {
      name: "revisions",
      summary: "List published rule sets",
      load: () => import("../commands/rules_revisions.ts"),
    },
    {
      name: "restore",
      summary: "Publish an earlier rule set again",
      load: () => import("../commands/rules_restore.ts"),
    },
  ],
};
