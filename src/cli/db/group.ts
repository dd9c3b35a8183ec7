/** @module The commands of `cli/db/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

const BRANCHES: CommandGroup = {
  name: "branches",
  summary: "List and manage branches: independent copies of a database",
  fallback: "list",
  commands: [
    {
      name: "list",
      summary: "List branches with their parents, age and size",
      load: () => import("./branches/list.ts"),
    },
    {
      name: "create",
      summary: "Create a branch as a copy of another branch",
      load: () => import("./branches/create.ts"),
    },
    {
      name: "delete",
      summary: "Delete a branch and its data",
      load: () => import("./branches/delete.ts"),
    },
    {
      name: "connection",
      summary: "Print the connection string of a branch",
      load: () => import("./branches/connection.ts"),
    },
    {
      name: "reset",
      summary: "Reset a branch to its parent",
      load: () => import("./branches/reset.ts"),
    },
  ],
};

const SNAPSHOTS: CommandGroup = {
  name: "snapshots",
  summary: "List and manage snapshots of branches",
  fallback: "list",
  commands: [
    {
      name: "list",
      summary: "List snapshots, newest first",
      load: () => import("./snapshots/list.ts"),
    },
    {
      name: "create",
      summary: "Create a snapshot of a branch",
      load: () => import("./snapshots/create.ts"),
    },
    {
      name: "restore",
      summary: "Restore a snapshot to an existing branch or a new one",
      load: () => import("./snapshots/restore.ts"),
    },
    {
      name: "delete",
      summary: "Delete a snapshot",
      load: () => import("./snapshots/delete.ts"),
    },
  ],
};

export const DB: CommandGroup = {
  name: "db",
  section: "Configuration",
  summary: "Manage PostgreSQL databases and run SQL",
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
      summary: "Delete a database. You can restore it for seven days",
      load: () => import("./delete.ts"),
    },
    {
      name: "undelete",
      summary: "Restore a deleted database",
      load: () => import("./undelete.ts"),
    },
    {
      name: "start",
      summary: "Start a database",
      load: () => import("./start.ts"),
    },
    {
      name: "stop",
      summary: "Stop a database: end all connections and refuse new ones",
      load: () => import("./stop.ts"),
    },
    {
      name: "connection",
      summary: "Print the connection string of a branch",
      load: () => import("./connection.ts"),
    },
    {
      name: "query",
      summary: "Run SQL, or open an SQL prompt",
      load: () => import("./query/query.ts"),
    },
    {
      name: "schema",
      summary: "Print a branch's schema as SQL",
      load: () => import("./schema.ts"),
    },
    {
      name: "diff",
      summary: "Compare a branch's schema with main",
      load: () => import("./diff.ts"),
    },
    BRANCHES,
    {
      name: "config",
      summary: "Show or change a database's settings",
      load: () => import("./config.ts"),
    },
    {
      name: "export",
      summary: "Export a branch as SQL",
      load: () => import("./export.ts"),
    },
    {
      name: "import",
      summary: "Run an SQL script on a branch in one transaction",
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
