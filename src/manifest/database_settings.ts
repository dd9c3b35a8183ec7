/**
 * @module The manifest's `database`: the database branches of previews, and the migration command.
 */
import * as z from "zod";
import {
  DATABASE_PREVIEWS,
  DATABASE_RESETS,
  databaseMask,
  MAX_MIGRATE_COMMAND,
  PREVIEW_RULE,
  RESET_RULE,
} from "../lib/database_previews.ts";

const MIGRATE_RULE = `Use a command of at most ${MAX_MIGRATE_COMMAND} characters`;
const NAME_RULE = "Use a database's ID or name";

export const databaseSchema = z.strictObject({
  name: z.string(NAME_RULE).min(1, NAME_RULE).max(200, NAME_RULE).optional().describe(
    "ID or name of the database. Default: the first database that deployments get as a variable.",
  ),
  preview: z.enum(DATABASE_PREVIEWS, PREVIEW_RULE).optional().describe(
    "Initial content of a preview's branch: `copy` of main, its `schema` without rows, or `empty`. Default: copy.",
  ),
  reset: z.enum(DATABASE_RESETS, RESET_RULE).optional().describe(
    "Whether each preview deployment recreates its branch: `deploy` or `never`. Default: " +
      "never.",
  ),
  mask: databaseMask.optional().describe(
    "Values to replace in the copy, by table and column: `null`, `hash`, `keep` or `fake:<type>`.",
  ),
  migrate: z.string(MIGRATE_RULE).min(1, MIGRATE_RULE).max(MAX_MIGRATE_COMMAND, MIGRATE_RULE)
    .optional().describe("Command that migrates the database before the deployment goes live."),
}, "Use a table");
export type DatabaseSettings = Readonly<z.infer<typeof databaseSchema>>;
