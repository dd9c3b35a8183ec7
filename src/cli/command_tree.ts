/**
 * All commands of the tool, with what loads each of them. Nothing of a
 * command is loaded before it is asked for.
 *
 * @module
 */
import { BUILDS_COMMANDS, HOOKS_COMMANDS } from "./command_groups/hooks.ts";
import {
  CONTEXT_COMMANDS,
  ENV_COMMANDS,
  ENVIRONMENTS_COMMANDS,
} from "./command_groups/environments.ts";
import { NOTIFICATIONS_COMMANDS, WEBHOOKS_COMMANDS } from "./command_groups/notifications.ts";
import { PROJECTS_COMMANDS } from "./command_groups/projects.ts";
import { RULES_COMMANDS } from "./command_groups/rules.ts";
import { type CommandEntry, type CommandLeaf, isGroup } from "./command_entry.ts";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "serve",
    summary: "Run the platform on this machine",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "rekey",
    summary: "Encrypt a data directory's secrets with a new key",
    load: () => import("./commands/rekey.ts"),
  },
  {
    name: "doctor",
    summary: "Look at what the platform needs of this machine",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "init",
    summary: "Create svc.toml, detect the framework, bind a project",
    load: () => import("./commands/init.ts"),
  },
  {
    name: "link",
    summary: "Bind a directory to a project",
    load: () => import("./commands/link.ts"),
  },
  {
    name: "build",
    summary: "Build, and validate the output and its manifest",
    load: () => import("./commands/build.ts"),
  },
  {
    name: "deploy",
    summary: "Build and deploy; a preview unless --prod",
    load: () => import("./commands/deploy.ts"),
  },
  {
    name: "deployments",
    summary: "List deployments",
    load: () => import("./commands/deployments.ts"),
  },
  {
    name: "stop",
    summary: "Take a deployment off the air",
    load: () => import("./commands/stop.ts"),
  },
  {
    name: "purge",
    summary: "Forget cached answers at the edge",
    load: () => import("./commands/purge.ts"),
  },
  {
    name: "functions",
    summary: "Show the functions of a deployment",
    commands: [
      {
        name: "list",
        summary: "List the functions of a deployment",
        load: () => import("./commands/functions_list.ts"),
      },
    ],
  },
  HOOKS_COMMANDS,
  BUILDS_COMMANDS,
  {
    name: "rollback",
    summary: "Make the previous production deployment live again",
    load: () => import("./commands/rollback.ts"),
  },
  {
    name: "logs",
    summary: "Show the access log of a project or deployment",
    load: () => import("./commands/logs.ts"),
  },
  PROJECTS_COMMANDS,
  RULES_COMMANDS,
  ENV_COMMANDS,
  ENVIRONMENTS_COMMANDS,
  CONTEXT_COMMANDS,
  {
    name: "domains",
    summary: "Manage custom domains",
    commands: [
      {
        name: "list",
        summary: "List custom domains",
        load: () => import("./commands/domains_list.ts"),
      },
      {
        name: "add",
        summary: "Bind a domain, and tell the DNS records to set",
        load: () => import("./commands/domains_add.ts"),
      },
      {
        name: "remove",
        summary: "Remove a domain",
        load: () => import("./commands/domains_remove.ts"),
      },
      {
        name: "verify",
        summary: "Look up a domain's DNS records",
        load: () => import("./commands/domains_verify.ts"),
      },
    ],
  },
  {
    name: "workspace",
    summary: "List workspaces, choose the default one",
    commands: [
      {
        name: "list",
        summary: "List workspaces",
        load: () => import("./commands/workspace_list.ts"),
      },
      {
        name: "switch",
        summary: "Choose the default workspace",
        load: () => import("./commands/workspace_switch.ts"),
      },
    ],
  },
  NOTIFICATIONS_COMMANDS,
  WEBHOOKS_COMMANDS,
  {
    name: "trigger",
    summary: "Raise an event, to try notifications and automations",
    load: () => import("./commands/trigger.ts"),
  },
  {
    name: "login",
    summary: "Log in to the platform, in a browser",
    load: () => import("./commands/login.ts"),
  },
  {
    name: "logout",
    summary: "Log out and revoke the token",
    load: () => import("./commands/logout.ts"),
  },
  {
    name: "whoami",
    summary: "Show the current user, workspace and key",
    load: () => import("./commands/whoami.ts"),
  },
  {
    name: "completion",
    summary: "Print the script that completes svc in a shell",
    load: () => import("./commands/completion.ts"),
  },
  {
    name: "complete",
    summary: "Answer a shell that completes a command line",
    hidden: true,
    load: () => import("./commands/complete.ts"),
  },
];

/** Global flags that are followed by a value. */
const VALUE_FLAGS: ReadonlySet<string> = new Set(["--token", "--workspace", "--api-url"]);

/**
 * Finds the command that a command line is about, so that only this one is
 * loaded; `undefined` where it names none.
 */
export function findCommand(argv: readonly string[]): CommandLeaf | undefined {
  let entries: readonly CommandEntry[] = COMMANDS;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (word === "--") return undefined;
    if (VALUE_FLAGS.has(word)) index++;
    if (word.startsWith("-")) continue;
    const entry = entries.find(({ name }) => name === word);
    if (entry === undefined) return undefined;
    if (!isGroup(entry)) return entry;
    entries = entry.commands;
  }
  return undefined;
}
