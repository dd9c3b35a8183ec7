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
import type { CommandEntry } from "./command_entry.ts";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "serve",
    section: "Platform",
    summary: "Run the platform on this machine",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "rekey",
    section: "Platform",
    summary: "Encrypt a data directory's secrets with a new key",
    load: () => import("./commands/rekey.ts"),
  },
  {
    name: "doctor",
    section: "Platform",
    summary: "Look at what the platform needs of this machine",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "init",
    section: "Projects and deployments",
    summary: "Create svc.toml, detect the framework, bind a project",
    load: () => import("./commands/init.ts"),
  },
  {
    name: "link",
    section: "Projects and deployments",
    summary: "Bind a directory to a project",
    load: () => import("./commands/link.ts"),
  },
  {
    name: "build",
    section: "Projects and deployments",
    summary: "Build, and validate the output and its manifest",
    load: () => import("./commands/build.ts"),
  },
  {
    name: "deploy",
    section: "Projects and deployments",
    summary: "Build and deploy; a preview unless --prod",
    load: () => import("./commands/deploy.ts"),
  },
  {
    name: "deployments",
    section: "Projects and deployments",
    summary: "List deployments",
    fallback: "list",
    commands: [
      {
        name: "list",
        summary: "List deployments",
        load: () => import("./commands/deployments.ts"),
      },
    ],
  },
  {
    name: "promote",
    section: "Projects and deployments",
    summary: "Make production show what a deployment shows",
    load: () => import("./commands/promote.ts"),
  },
  {
    name: "stop",
    section: "Projects and deployments",
    summary: "Take a deployment off the air",
    load: () => import("./commands/stop.ts"),
  },
  {
    name: "purge",
    section: "Rules and functions",
    summary: "Forget cached answers at the edge",
    load: () => import("./commands/purge.ts"),
  },
  {
    name: "functions",
    section: "Rules and functions",
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
    section: "Projects and deployments",
    summary: "Make the previous production deployment live again",
    load: () => import("./commands/rollback.ts"),
  },
  {
    name: "logs",
    section: "Projects and deployments",
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
    section: "Configuration",
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
    section: "Account",
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
    section: "Notifications and automation",
    summary: "Raise an event, to try notifications and automations",
    load: () => import("./commands/trigger.ts"),
  },
  {
    name: "login",
    section: "Account",
    summary: "Log in to the platform, in a browser",
    load: () => import("./commands/login.ts"),
  },
  {
    name: "logout",
    section: "Account",
    summary: "Log out and revoke the token",
    load: () => import("./commands/logout.ts"),
  },
  {
    name: "whoami",
    section: "Account",
    summary: "Show the current user, workspace and key",
    load: () => import("./commands/whoami.ts"),
  },
  {
    name: "completion",
    section: "Tool",
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
