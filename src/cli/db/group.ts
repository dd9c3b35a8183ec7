/**
 * The commands of `cli/db/`, with what loads each of them.
 *
 * @module
 */
import type { CommandGroup } from "../command/command_entry.ts";

const BRANCHES: CommandGroup = {
  name: "branches",
  summary: "List and manage branches: copies of a database that go their own way",
  fallback: "list",
  commands: [
    {
      name: "list",
      summary: "List branches with their parents, age and size",
      load: () => import("./branches/list.ts"),
    },
    {
      name: "create",
      summary: "Copy a branch",
      load: () => import("./branches/create.ts"),
    },
    {
      name: "delete",
      summary: "Remove a branch with its data",
      load: () => import("./branches/delete.ts"),
    },
    {
      name: "connection",
      summary: "Print the connection string of a branch",
      load: () => import("./branches/connection.ts"),
    },
    {
      name: "reset",
      summary: "Make a branch equal to its parent again",
      load: () => import("./branches/reset.ts"),
    },
  ],
};

const SNAPSHOTS: CommandGroup = {
  name: "snapshots",
  summary: "List and manage snapshots: branches kept as they were",
  fallback: "list",
  commands: [
    {
      name: "list",
      summary: "List snapshots, newest first",
      load: () => import("./snapshots/list.ts"),
    },
    {
      name: "create",
      summary: "Keep a branch as it is now",
      load: () => import("./snapshots/create.ts"),
    },
    {
      name: "restore",
      summary: "Restore a snapshot over a branch, or as a new one",
      load: () => import("./snapshots/restore.ts"),
    },
    {
      name: "delete",
      summary: "Remove a snapshot",
      load: () => import("./snapshots/delete.ts"),
    },
  ],
};

export const DB: CommandGroup = {
  name: "db",
  section: "Configuration",
  summary: "Manage PostgreSQL databases, and run SQL on them",
  commands: [
    {
      name: "list",
      summary: "List databases",
      load: () => import("./list.ts"),
    },
    {
      name: "create",
      summary: "Create a database",
      load: () => import("./create.ts"),
    },
    {
      name: "info",
      summary: "Show a database",
      load: () => import("./info.ts"),
    },
    {
      name: "delete",
      summary: "Delete a database; it can be restored for seven days",
      load: () => import("./delete.ts"),
    },
    {
      name: "undelete",
      summary: "Bring a deleted database back",
      load: () => import("./undelete.ts"),
    },
    {
      name: "start",
      summary: "Let clients connect again",
      load: () => import("./start.ts"),
    },
    {
      name: "stop",
      summary: "End all connections, and refuse new ones",
      load: () => import("./stop.ts"),
    },
    {
      name: "connection",
      summary: "Print the connection string of a branch",
      load: () => import("./connection.ts"),
    },
    {
      name: "query",
      summary: "Run SQL, or open a prompt for it",
      load: () => import("./query/query.ts"),
    },
    {
      name: "schema",
      summary: "Print a branch's definitions as SQL",
      load: () => import("./schema.ts"),
    },
    BRANCHES,
    {
      name: "config",
      summary: "Show or change the settings of a database",
      load: () => import("./config.ts"),
    },
    {
      name: "export",
      summary: "Download a branch as SQL",
      load: () => import("./export.ts"),
    },
    {
      name: "import",
      summary: "Run a script of SQL on a branch, as one transaction",
      load: () => import("./import.ts"),
    },
    SNAPSHOTS,
    {
      name: "move",
      summary: "Move a database to another engine",
      load: () => import("./move.ts"),
    },
  ],
};
