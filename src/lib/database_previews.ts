/** @module The settings for preview databases in the `[db]` section of `svc.toml`. */
import * as z from "zod";

/** Initial content of a preview's database branch. */
export const DATABASE_PREVIEWS = ["copy", "schema", "empty"] as const;
/** When the branch is recreated. */
export const DATABASE_RESETS = ["deploy", "never"] as const;
/** Kinds of invented values for masked columns. */
export const FAKES = ["name", "email", "phone", "address", "company", "text"] as const;
export type Fake = (typeof FAKES)[number];

/** Maximum number of tables with masks, and of masked columns per table. */
const MAX_MASKED_TABLES = 200;
const MAX_MASKED_COLUMNS = 200;
/** Maximum length of all masks together as JSON, in characters. */
const MAX_MASK_CHARACTERS = 16 * 1024;
/**
 * Maximum duration of a migration, in milliseconds, and maximum length of the migration command, in
 * characters.
 */
export const MIGRATION_MS = 10 * 60_000;
export const MAX_MIGRATE_COMMAND = 1024;

export const PREVIEW_RULE = 'Use "copy", "schema" or "empty"';
export const RESET_RULE = 'Use "deploy" or "never"';
const FAKE_NAMES = FAKES.map((fake) => `"fake:${fake}"`).join(", ");
const MASK_RULE = `Use "null", "hash", "keep" or one of ${FAKE_NAMES}`;
const NAMES_RULE = "Use names of 1 to 200 characters";
const TABLE_RULE = `Use a table of at most ${MAX_MASKED_COLUMNS} columns and their masks`;
const TABLES_RULE =
  `Use at most ${MAX_MASKED_TABLES} tables of columns and their masks, such as [db.mask.users]`;

const SIZE_RULE = `Use masks of at most ${MAX_MASK_CHARACTERS} characters in total`;

const FORM = new RegExp(`^(?:null|hash|keep|fake:(?:${FAKES.join("|")}))$`);

const name = z.string(NAMES_RULE).min(1, NAMES_RULE).max(200, NAMES_RULE)
  // deno-lint-ignore no-control-regex -- excludes control characters on purpose
  .regex(/^[^\x00-\x1f\x7f]+$/, NAMES_RULE);

const columns = z.record(name, z.string(MASK_RULE).regex(FORM, MASK_RULE), TABLE_RULE)
  .refine((each) => Object.keys(each).length <= MAX_MASKED_COLUMNS, TABLE_RULE);

/** Masks by table and column. The name of a table outside `public` starts with its schema. */
export const databaseMask = z.record(name, columns, TABLES_RULE)
  .refine((each) => Object.keys(each).length <= MAX_MASKED_TABLES, TABLES_RULE)
  // Every record of a deployment or branch contains the masks.
  .refine((each) => JSON.stringify(each).length <= MAX_MASK_CHARACTERS, SIZE_RULE);
export type DatabaseMask = z.output<typeof databaseMask>;

/** How a preview's branch is created. */
export const databaseRecipe = z.object({
  preview: z.enum(DATABASE_PREVIEWS),
  mask: databaseMask,
});
export type DatabaseRecipe = Readonly<z.output<typeof databaseRecipe>>;
