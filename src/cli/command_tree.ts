/**
 * All commands of the tool, with what loads each of them. Nothing of a
 * command is loaded before it is asked for.
 *
 * @module
 */
import type { LoadedCommand } from "./command.ts";

export interface CommandLeaf {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly default: LoadedCommand }>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandLeaf[];
}

export type CommandEntry = CommandLeaf | CommandGroup;

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "serve",
    summary: "Run the platform on this machine",
    load: () => import("./commands/serve.ts"),
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
        name: "delete",
        summary: "Delete a project with all its deployments",
        load: () => import("./commands/projects_delete.ts"),
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
    name: "whoami",
    summary: "Show the current user, workspace and key",
    load: () => import("./commands/whoami.ts"),
  },
];

/** True for a command that only holds others. */
export function isGroup(entry: CommandEntry): entry is CommandGroup {
  return "commands" in entry;
}

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
