/**
 * All commands of the tool, with what loads each of them. Nothing of a
 * command is loaded before it is asked for.
 *
 * @module
 */
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
  {
    name: "hooks",
    summary: "Manage and trigger deploy hooks",
    commands: [
      {
        name: "list",
        summary: "List deploy hooks with their use",
        load: () => import("./commands/hooks_list.ts"),
      },
      {
        name: "create",
        summary: "Create a deploy hook; its URL is shown once",
        load: () => import("./commands/hooks_create.ts"),
      },
      {
        name: "rename",
        summary: "Rename a deploy hook",
        load: () => import("./commands/hooks_rename.ts"),
      },
      {
        name: "regenerate",
        summary: "Give a deploy hook a new URL",
        load: () => import("./commands/hooks_regenerate.ts"),
      },
      {
        name: "delete",
        summary: "Delete a deploy hook",
        load: () => import("./commands/hooks_delete.ts"),
      },
      {
        name: "trigger",
        summary: "Deploy a commit by a hook's URL",
        load: () => import("./commands/hooks_trigger.ts"),
      },
    ],
  },
  {
    name: "builds",
    summary: "Show and cancel builds from git",
    commands: [
      {
        name: "list",
        summary: "List builds",
        load: () => import("./commands/builds_list.ts"),
      },
      {
        name: "cancel",
        summary: "Cancel a build",
        load: () => import("./commands/builds_cancel.ts"),
      },
    ],
  },
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
  {
    name: "projects",
    summary: "Manage projects",
    commands: [
      {
        name: "list",
        summary: "List projects",
        load: () => import("./commands/projects_list.ts"),
      },
      {
        name: "create",
        summary: "Create a project",
        load: () => import("./commands/projects_create.ts"),
      },
      {
        name: "info",
        summary: "Show a project",
        load: () => import("./commands/projects_info.ts"),
      },
      {
        name: "update",
        summary: "Change a project's settings",
        load: () => import("./commands/projects_update.ts"),
      },
      {
        name: "git-credentials",
        summary: "Store or forget the credentials of a private repository",
        load: () => import("./commands/projects_git_credentials.ts"),
      },
      {
        name: "delete",
        summary: "Delete a project with all its deployments",
        load: () => import("./commands/projects_delete.ts"),
      },
    ],
  },
  {
    name: "rules",
    summary: "Check, test and publish edge rules",
    commands: [
      {
        name: "check",
        summary: "Validate svc.rules.toml",
        load: () => import("./commands/rules_check.ts"),
      },
      {
        name: "explain",
        summary: "Tell which rules match a request, and why the others do not",
        load: () => import("./commands/rules_explain.ts"),
      },
      {
        name: "test",
        summary: "Run a table of requests and expected outcomes",
        load: () => import("./commands/rules_run_tests.ts"),
      },
      {
        name: "import",
        summary: "Make rules of a _redirects, _headers or vercel.json file",
        load: () => import("./commands/rules_import.ts"),
      },
      {
        name: "list",
        summary: "Show the rules that production uses",
        load: () => import("./commands/rules_list.ts"),
      },
      {
        name: "publish",
        summary: "Put rules into effect in production at once",
        load: () => import("./commands/rules_publish.ts"),
      },
      {
        name: "remove",
        summary: "Remove published rules from production",
        load: () => import("./commands/rules_remove.ts"),
      },
      {
        name: "revisions",
        summary: "List published rule sets",
        load: () => import("./commands/rules_revisions.ts"),
      },
      {
        name: "restore",
        summary: "Publish an earlier rule set again",
        load: () => import("./commands/rules_restore.ts"),
      },
    ],
  },
  {
    name: "env",
    summary: "Manage and use environment variables",
    commands: [
      {
        name: "list",
        summary: "List variables, secrets masked",
        load: () => import("./commands/env_list.ts"),
      },
      {
        name: "set",
        summary: "Set a variable, or all of a dotenv file",
        load: () => import("./commands/env_set.ts"),
      },
      {
        name: "delete",
        summary: "Delete a variable from every scope",
        load: () => import("./commands/env_delete.ts"),
      },
      {
        name: "validate",
        summary: "Check that every required variable is set",
        load: () => import("./commands/env_validate.ts"),
      },
      {
        name: "exec",
        summary: "Run a command with the variables",
        load: () => import("./commands/env_exec.ts"),
      },
      {
        name: "pull",
        summary: "Refused: run the command with env exec instead",
        load: () => import("./commands/env_pull.ts"),
      },
    ],
  },
  {
    name: "environments",
    summary: "Manage a project's environments",
    commands: [
      {
        name: "list",
        summary: "List environments",
        load: () => import("./commands/environments_list.ts"),
      },
      {
        name: "create",
        summary: "Create an environment",
        load: () => import("./commands/environments_create.ts"),
      },
      {
        name: "delete",
        summary: "Delete an environment with its variables",
        load: () => import("./commands/environments_delete.ts"),
      },
    ],
  },
  {
    name: "context",
    summary: "Choose the environment that this checkout works with",
    commands: [
      {
        name: "use",
        summary: "Choose an environment",
        load: () => import("./commands/context_use.ts"),
      },
      {
        name: "show",
        summary: "Show the chosen environment",
        load: () => import("./commands/context_show.ts"),
      },
      {
        name: "clear",
        summary: "Forget the chosen environment",
        load: () => import("./commands/context_clear.ts"),
      },
    ],
  },
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
  {
    name: "notifications",
    summary: "Read notifications, choose which are sent",
    commands: [
      {
        name: "list",
        summary: "Show the inbox or the archive",
        load: () => import("./commands/notifications_list.ts"),
      },
      {
        name: "read",
        summary: "Mark notifications as read",
        load: () => import("./commands/notifications_read.ts"),
      },
      {
        name: "archive",
        summary: "Move notifications to the archive",
        load: () => import("./commands/notifications_archive.ts"),
      },
      {
        name: "delete",
        summary: "Delete notifications",
        load: () => import("./commands/notifications_delete.ts"),
      },
      {
        name: "watch",
        summary: "Show notifications as they come in",
        load: () => import("./commands/notifications_watch.ts"),
      },
      {
        name: "preferences",
        summary: "Show or change what is sent, and how",
        load: () => import("./commands/notifications_preferences.ts"),
      },
      {
        name: "test",
        summary: "Send a test message over a channel",
        load: () => import("./commands/notifications_test_send.ts"),
      },
      {
        name: "dead-letters",
        summary: "Show what could not be delivered",
        load: () => import("./commands/notifications_dead_letters.ts"),
      },
      {
        name: "resend",
        summary: "Send again what could not be delivered",
        load: () => import("./commands/notifications_resend.ts"),
      },
    ],
  },
  {
    name: "webhooks",
    summary: "Tell other services of the workspace's events",
    commands: [
      {
        name: "list",
        summary: "List webhooks",
        load: () => import("./commands/webhooks_list.ts"),
      },
      {
        name: "create",
        summary: "Create a webhook",
        load: () => import("./commands/webhooks_create.ts"),
      },
      {
        name: "delete",
        summary: "Delete a webhook",
        load: () => import("./commands/webhooks_delete.ts"),
      },
      {
        name: "deliveries",
        summary: "Show what a webhook was sent",
        load: () => import("./commands/webhooks_deliveries.ts"),
      },
      {
        name: "redeliver",
        summary: "Send a delivery again",
        load: () => import("./commands/webhooks_redeliver.ts"),
      },
      {
        name: "test",
        summary: "Send a signed example at once",
        load: () => import("./commands/webhooks_test_send.ts"),
      },
    ],
  },
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
