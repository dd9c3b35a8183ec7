/**
 * @module The raw shape of `svc.toml`, with the same keys as the file (cli-and-config.md, "Project
 * config file"). Each field's message says what is expected, such as "Use a port number from 1 to
 * 65535". The report adds the current value.
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
import { isTimeZone, MAX_SCHEDULE_LENGTH, scheduleProblem } from "../lib/cron_schedule.ts";
import {
  ALIAS_NAME,
  COMMAND,
  DNS_LABEL,
  isEncodedLabel,
  isHost,
  isInsidePath,
  normalizeInsidePath,
  parseTime,
  PLATFORM_ID,
  PROJECT_NAME_MAX,
  TRIMMED_TEXT,
  VARIABLE_NAME,
  VARIABLE_NAME_MAX,
} from "./field_rules.ts";
import { checks } from "./checks_table.ts";
import { forms } from "./forms_table.ts";
import { QUEUE_KEYS, queues } from "./queues_table.ts";
import { blobs, images, previews, skew, staticSite, traffic } from "./site_tables.ts";
import { table } from "./table.ts";

/** Maximum number of scheduled tasks. */
const MAX_CRON_TASKS = 20;

/** Maximum number of candidates for the output directory. */
const MAX_OUTPUT_DIRS = 20;

const MAX_NAME = 200;
const MAX_PATH = 1024;
const MAX_COMMAND = 8192;

interface TextRule {
  readonly pattern: RegExp;
  readonly maximum: number;
}

const text = (wanted: string, { pattern, maximum }: TextRule) =>
  z.string(wanted)
    .min(1, wanted)
    .max(maximum, wanted)
    .regex(pattern, wanted);

const slug = (wanted: string) =>
  text(wanted, { pattern: DNS_LABEL, maximum: PROJECT_NAME_MAX })
    .refine((value) => !isEncodedLabel(value), "Use a name that does not begin with xn--");

const SLUG_RULE =
  `1 to ${PROJECT_NAME_MAX} lowercase letters, digits and hyphens, with no hyphen at either end`;
const NAME_RULE = "text on one line without leading or trailing spaces";

const command = text(`Use a shell command of 1 to ${MAX_COMMAND} characters`, {
  pattern: COMMAND,
  maximum: MAX_COMMAND,
});

const insidePath = (wanted: string) => z.string(wanted).min(1, wanted).max(MAX_PATH, wanted);

const project = table({
  id: text("Use an identifier of letters, digits, _ and -", {
    pattern: PLATFORM_ID,
    maximum: MAX_NAME,
  }).optional().meta({ description: "Identifier of the project on the platform." }),
  name: slug(`Use a project name of ${SLUG_RULE}`).optional().meta({
    description: "Name of the project: the first part of its hostnames.",
    examples: ["my-site"],
  }),
  workspace: slug(`Use a workspace slug of ${SLUG_RULE}`).optional().meta({
    description: "Slug of the workspace that the project belongs to.",
    examples: ["default"],
  }),
});

const PORT_RULE = "Use a port number from 1 to 65535";
const HOST_RULE = "Use a hostname or IP address without a scheme or port";
const DATA_DIR_RULE = "Use a relative path below the project directory, with forward slashes";
const ALIASES_RULE = "Use a table of alias names and commands";

const dev = table({
  command: command.optional().meta({
    description: "Command that starts the dev server.",
    examples: ["npm run dev"],
  }),
  port: z.int(PORT_RULE).min(1, PORT_RULE).max(65535, PORT_RULE)
    .optional().meta({ description: "Port of the dev server.", examples: [4321] }),
  host: text(HOST_RULE, { pattern: TRIMMED_TEXT, maximum: 253 })
    .refine(isHost, HOST_RULE).optional()
    .meta({ description: "Host of the dev server.", examples: ["localhost"] }),
  data_dir: insidePath(DATA_DIR_RULE)
    .refine((path) => isInsidePath(path) && normalizeInsidePath(path) !== ".", DATA_DIR_RULE)
    .optional().meta({
      description: "Folder for local data, relative to this file and inside the project.",
      examples: [".svc/data"],
    }),
  aliases: z.record(
    text("Use an alias name of 1 to 64 letters, digits and any of : . _ -", {
      pattern: ALIAS_NAME,
      maximum: 64,
    }),
    command,
    ALIASES_RULE,
  ).optional().meta({
    description: "Names for commands that `svc dev --alias <name>` starts.",
    examples: [{ storybook: "npm run storybook" }],
  }),
});

const OUTPUT_DIR_RULE = "Use a relative path that stays in the project, with forward slashes";
const OUTPUT_DIRS_RULE = `Use a list of 1 to ${MAX_OUTPUT_DIRS} directories`;

const ENGINES = ["deno", "node", "command"] as const;
const HEALTH_PATH = /^\/[\x21-\x7e]*$/;

const healthPath = text("Use a path that begins with /, without spaces", {
  pattern: HEALTH_PATH,
  maximum: 512,
});
const TMP_RULE = "Use a whole number of MiB from 1 to 4096";

/**
 * Maximum number of configuration files of other hosts. The limit exceeds the number of files that
 * svc recognizes.
 */
const MAX_NOT_IMPORTED = 32;
const NOT_IMPORTED_RULE =
  `Use a list of at most ${MAX_NOT_IMPORTED} paths in the project, with forward slashes`;

const build = table({
  command: command.optional().meta({
    description: "Command that builds the project.",
    examples: ["npm run build"],
  }),
  ignore: command.optional().meta({
    description:
      "Command that decides whether a commit is built from git: exit code 0 skips it. Without " +
      "a command, commits that change nothing in the root directory are skipped.",
    examples: ["! grep -q ^docs/ $SVC_CHANGED_FILES"],
  }),
  output_dirs: z.array(
    insidePath(OUTPUT_DIR_RULE).refine(isInsidePath, OUTPUT_DIR_RULE),
    OUTPUT_DIRS_RULE,
  ).min(1, OUTPUT_DIRS_RULE).max(MAX_OUTPUT_DIRS, OUTPUT_DIRS_RULE)
    .optional().meta({
      description: "Candidate directories for the build output. The first existing one is used.",
      examples: [["dist", "build"]],
    }),
  static: z.boolean("Use true or false").optional().meta({
    description:
      "Whether to publish every file of the output unchanged, even if it looks like server code.",
  }),
  runtime: z.enum(ENGINES, 'Use "deno", "node" or "command"').optional().meta({
    description:
      "Engine of the project's servers: deno, node, or command (any program that listens on $PORT). Detected if omitted.",
  }),
  health: healthPath.optional().meta({
    description: "Older name of health_path in [server].",
    deprecated: true,
    examples: ["/healthz"],
  }),
  tmp_mb: z.int(TMP_RULE).min(1, TMP_RULE).max(4096, TMP_RULE).optional().meta({
    description: "Size of the folder for temporary files of a server, in MiB; 64 when omitted.",
    examples: [256],
  }),
  not_imported: z.array(
    insidePath(NOT_IMPORTED_RULE).refine(isInsidePath, NOT_IMPORTED_RULE),
    NOT_IMPORTED_RULE,
  ).max(MAX_NOT_IMPORTED, NOT_IMPORTED_RULE).optional().meta({
    description:
      "Configuration files of other hosts, such as `_redirects`, that svc should ignore " +
      "instead of offering to import them.",
    examples: [["_redirects"]],
  }),
});

/** Maximum time within which a server must listen: 5 minutes. */
const MAX_START_MS = 300_000;
const START_RULE = 'Use a time from 1 second to 5 minutes, such as "90s"';

const MEMORY_RULE = "Use a whole number of MiB from 64 to 4096";

const isStartTime = (value: number | string): boolean => {
  const time = parseTime(value);
  return time !== undefined && time >= 1000 && time <= MAX_START_MS;
};

const server = table({
  command: command.optional().meta({
    description: "Command that starts the server; it must listen on $PORT.",
    examples: ["node --import ./setup.js server.js"],
  }),
  start_timeout: z.union([z.string(), z.int()], START_RULE).refine(isStartTime, START_RULE)
    .optional().meta({
      description:
        "Time within which the server must listen, from 1 second to 5 minutes; 30 seconds when omitted. A number counts seconds.",
      examples: ["90s", 90],
    }),
  memory_mb: z.int(MEMORY_RULE).min(64, MEMORY_RULE).max(4096, MEMORY_RULE).optional().meta({
    description:
      "Memory of a server in MiB, 64 to 4096; 256 when omitted, more for some languages and frameworks.",
    examples: [512],
  }),
  health_path: healthPath.optional().meta({
    description:
      "Path of the health check before the server goes live. Its status must be 200 to 399.",
    examples: ["/healthz"],
  }),
});

const CRON_RULE = `Use [[cron]] tables with path and schedule, at most ${MAX_CRON_TASKS}`;
const CRON_PATH_RULE =
  "Use a path that begins with /, at most 512 characters, without # and spaces";
const SCHEDULE_RULE = 'Use the five fields of a crontab, such as "*/5 * * * *"';
const CRON_RETRIES_RULE = "Use a whole number from 0 to 5";
const ZONE_RULE = 'Use the name of a time zone, such as "Europe/Berlin"';

const cronTask = table({
  path: text(CRON_PATH_RULE, { pattern: /^\/(?!\/)[\x21-\x22\x24-\x7e]*$/, maximum: 512 })
    .meta({ description: "Path to request.", examples: ["/api/cron"] }),
  schedule: text(SCHEDULE_RULE, { pattern: TRIMMED_TEXT, maximum: MAX_SCHEDULE_LENGTH })
    .superRefine((schedule, context) => {
      const problem = scheduleProblem(schedule);
      if (problem === undefined) return;
      context.addIssue({ code: "custom", message: `${SCHEDULE_RULE} (${problem})` });
    }).meta({
      description: "Schedule: minute, hour, day of the month, month, day of the week.",
      examples: ["*/5 * * * *"],
    }),
  timezone: z.string(ZONE_RULE).max(64, ZONE_RULE).refine(isTimeZone, ZONE_RULE).optional().meta({
    description: "Time zone of the schedule, by its IANA name; UTC when omitted.",
    examples: ["Europe/Berlin"],
  }),
  retries: z.int(CRON_RETRIES_RULE).min(0, CRON_RETRIES_RULE).max(5, CRON_RETRIES_RULE).optional()
    .meta({
      description: "How many times to retry a failed scheduled run; 0 when omitted.",
      examples: [3],
    }),
});

const cron = z.array(cronTask, CRON_RULE).max(MAX_CRON_TASKS, CRON_RULE);

const CPU_RULE = "Use a whole number of milliseconds from 50 to 10000";

const functions = table({
  cpu_ms: z.int(CPU_RULE).min(50, CPU_RULE).max(10_000, CPU_RULE).optional().meta({
    description: "Maximum CPU time of a function call, in milliseconds; 1000 when omitted.",
    examples: [2000],
  }),
});

const MIGRATE_RULE = `Use a command of at most ${MAX_MIGRATE_COMMAND} characters`;

const db = table({
  database: text(`Use a database ID or name: ${NAME_RULE}`, {
    pattern: TRIMMED_TEXT,
    maximum: MAX_NAME,
  }).optional().meta({ description: "Database ID or name; detected automatically when omitted." }),
  branch: text(`Use a branch name: ${NAME_RULE}`, { pattern: TRIMMED_TEXT, maximum: MAX_NAME })
    .optional().meta({ description: "Database branch for `svc dev`; main when omitted." }),
  preview: z.enum(DATABASE_PREVIEWS, PREVIEW_RULE).optional().meta({
    description:
      "Initial content of a preview's database branch: a copy of main, its schema without " +
      "rows, or nothing. Previews get their own branches if this, `reset` or `mask` is set; " +
      "copy when omitted.",
    examples: ["schema"],
  }),
  reset: z.enum(DATABASE_RESETS, RESET_RULE).optional().meta({
    description: "Whether each deployment of a preview recreates its branch; never when omitted.",
    examples: ["deploy"],
  }),
  mask: databaseMask.optional().meta({
    description:
      "Replacements for values in a preview's copy, by table and column: null, hash, keep, or fake: and a type (name, email, phone, address, company, text).",
    examples: [{ users: { email: "fake:email", phone: "null" } }],
  }),
  migrate: z.string(MIGRATE_RULE).max(MAX_MIGRATE_COMMAND, MIGRATE_RULE)
    .regex(COMMAND, MIGRATE_RULE).optional().meta({
      description:
        "Command that migrates the database before a deployment goes live; it gets the database's variables.",
      examples: ["npx prisma migrate deploy"],
    }),
});

/** Whether the value of a variable can be shown again. Only `plain` values can. */
export const VISIBILITIES = ["sensitive", "plain"] as const;

const VISIBILITY_RULE = `Use "sensitive" or "plain"`;
const REQUIRED_RULE = "Use true or false";
const DECLARATION_RULE = `${VISIBILITY_RULE}, or a table with visibility and required`;
const visibility = z.enum(VISIBILITIES, VISIBILITY_RULE);

const declaration = z.union([
  visibility.meta({ description: "Shorthand: a required variable with this visibility." }),
  table({
    visibility: visibility.meta({ description: "`sensitive` values are never shown again." }),
    required: z.boolean(REQUIRED_RULE).default(true)
      .meta({ description: "Whether deployments require the variable." }),
  }),
], DECLARATION_RULE);

const env = table({
  declarations: z.record(
    text(
      `Use a variable name of 1 to ${VARIABLE_NAME_MAX} letters, digits and _ that does not ` +
        `start with a digit`,
      { pattern: VARIABLE_NAME, maximum: VARIABLE_NAME_MAX },
    ),
    declaration,
    "Use a table of variable names and declarations",
  ).optional().meta({
    description: "Environment variables that the project uses.",
    examples: [{ API_KEY: "sensitive", LOG_LEVEL: { visibility: "plain", required: false } }],
  }),
});

/** Schema of a whole `svc.toml`. The schema is strict at every level. */
export const projectConfigSchema = table({
  project: project.optional().meta({ description: "Project of this directory." }),
  dev: dev.optional().meta({ description: "Settings of `svc dev`." }),
  build: build.optional().meta({ description: "Settings of `svc build` and `svc deploy`." }),
  server: server.optional().meta({ description: "How the project's server starts." }),
  cron: cron.optional().meta({
    description:
      "Requests that the platform sends on a schedule to the live production deployment.",
  }),
  queues: queues.optional().meta({
    description: "Queues whose messages the platform sends to the project's server.",
  }),
  forms: forms.optional().meta({
    description:
      "Forms whose submissions the platform accepts at /_svc/forms/<name>. Found in the HTML " +
      "when omitted.",
  }),
  functions: functions.optional().meta({ description: "Limits of the project's functions." }),
  db: db.optional().meta({ description: "The managed database of the project." }),
  env: env.optional().meta({ description: "Environment variables." }),
  images: images.optional().meta({ description: "Image conversion at /_svc/image." }),
  blobs: blobs.optional().meta({ description: "Objects in the blob store that the site serves." }),
  static: staticSite.optional().meta({ description: "How files are served." }),
  skew: skew.optional().meta({ description: "Pages of earlier deployments that are still open." }),
  traffic: traffic.optional().meta({ description: "Traffic settings." }),
  previews: previews.optional().meta({ description: "Access to previews." }),
  checks: checks.optional().meta({
    description: "Requests and commands that must pass before production serves a deployment.",
  }),
});

/**
 * A valid `svc.toml` as written, before defaults are filled in and the two forms of declarations
 * are unified.
 */
export type RawProjectConfig = z.output<typeof projectConfigSchema>;

/** The keys that each table can have. Free-form tables (aliases, declarations) are not listed. */
export const TABLE_KEYS: Readonly<Record<string, readonly string[]>> = {
  "": Object.keys(projectConfigSchema.shape),
  project: Object.keys(project.shape),
  dev: Object.keys(dev.shape),
  build: Object.keys(build.shape),
  server: Object.keys(server.shape),
  cron: Object.keys(cronTask.shape),
  queues: QUEUE_KEYS,
  functions: Object.keys(functions.shape),
  db: Object.keys(db.shape),
  env: Object.keys(env.shape),
  images: Object.keys(images.shape),
  blobs: Object.keys(blobs.shape),
  static: Object.keys(staticSite.shape),
  skew: Object.keys(skew.shape),
  traffic: Object.keys(traffic.shape),
  previews: Object.keys(previews.shape),
  checks: Object.keys(checks.shape),
};

/** Keys of a declaration's table form. */
export const DECLARATION_KEYS: readonly string[] = ["visibility", "required"];

/**
 * Returns the JSON Schema of `svc.toml` for editors. The schema uses draft 7, which Taplo supports.
 */
export function projectConfigJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(projectConfigSchema, { io: "input", target: "draft-7" }),
    title: "svc.toml",
    description: "Project configuration for svc.",
  };
}
