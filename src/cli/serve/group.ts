/** @module The commands in `cli/serve/`, each with its loader. */
import type { CommandLeaf } from "../command/command_entry.ts";

export const SERVE: CommandLeaf = {
  name: "serve",
  section: "Platform",
  summary: "Run the platform on this machine",
  serves: true,
  load: () => import("./serve.ts"),
};

export const EDGE: CommandLeaf = {
  name: "edge",
  section: "Platform",
  summary: "Run a front edge for a platform on this machine",
  serves: true,
  load: () => import("./edge.ts"),
};

export const BACKUP: CommandLeaf = {
  name: "backup",
  section: "Platform",
  summary: "Back up a data directory",
  load: () => import("./backup.ts"),
};

export const RESTORE: CommandLeaf = {
  name: "restore",
  section: "Platform",
  summary: "Restore a backup to a new data directory",
  load: () => import("./restore.ts"),
};

export const MIGRATE_STORE: CommandLeaf = {
  name: "migrate-store",
  section: "Platform",
  summary: "Move a platform to PostgreSQL and object storage, or back",
  load: () => import("./migrate_store.ts"),
};

export const REKEY: CommandLeaf = {
  name: "rekey",
  section: "Platform",
  summary: "Encrypt a data directory's secrets with a new key",
  load: () => import("./rekey.ts"),
};
