/** @module The commands in `cli/rules/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const RULES: CommandGroup = {
  name: "rules",
  section: "Rules and functions",
  summary: "Check, test and publish edge rules",
  commands: [
    {
      name: "check",
      summary: "Validate svc.rules.toml",
      load: () => import("./check.ts"),
    },
    {
      name: "explain",
      summary: "Show which rules match a request and why others do not",
      load: () => import("./explain.ts"),
    },
    {
      name: "test",
      summary: "Run test requests and compare the outcomes",
      load: () => import("./run_tests.ts"),
    },
    {
      name: "import",
      summary: "Convert _redirects, _headers, netlify.toml and vercel.json files to rules",
      load: () => import("./import.ts"),
    },
    {
      name: "list",
      summary: "Show production's active rules",
      load: () => import("./list.ts"),
    },
    {
      name: "publish",
      summary: "Publish rules to production immediately",
      load: () => import("./publish.ts"),
    },
    {
      name: "remove",
      summary: "Remove published rules from production",
      load: () => import("./remove.ts"),
    },
    {
      name: "revisions",
      summary: "List published rule sets",
      load: () => import("./revisions.ts"),
    },
    {
      name: "restore",
      summary: "Publish an earlier rule set again",
      load: () => import("./restore.ts"),
    },
  ],
};
