import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { repeatedList } from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { dataFolder } from "../session/user_folders.ts";
import { formatBytes, formatCount } from "../terminal/format.ts";
import type { Progress } from "../terminal/progress.ts";
import { isS3Place } from "../../lib/is_s3_place.ts";
import type { MigrationReport } from "../../serve/mod.ts";
import { VERSION } from "../version.ts";

/** The locations of records and files that a flag names. */
interface Places {
  readonly records?: string;
  readonly files?: string;
}

function readPlaces(ctx: Context, flag: string, given: readonly string[] = []): Places {
  const places: { records?: string; files?: string } = {};
  for (const place of given) {
    const kind = /^postgres(?:ql)?:/i.test(place) || place.endsWith(".sqlite3")
      ? "records"
      : "files";
    if (places[kind] !== undefined) {
      throw new CliError("usage", `${flag} has several locations for ${kind}: use only one`);
    }
    const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(place);
    if (kind === "files" && isUrl && !isS3Place(place)) {
      throw new CliError(
        "usage",
        `${flag} must be postgres://…, s3://bucket/prefix?endpoint=…, a directory, or a database file ending in .sqlite3`,
      );
    }
    places[kind] = isUrl || kind === "records" && !place.endsWith(".sqlite3")
      ? place
      : ctx.path(place);
  }
  return places;
}

function endsOf(kind: keyof Places, from: Places, to: Places) {
  if (from[kind] === undefined && to[kind] === undefined) return undefined;
  return definedOnly({ from: from[kind], to: to[kind] });
}

export default defineCommand({
  description:
    "Moves a stopped platform: its records between a file and PostgreSQL, its file contents " +
    "between a directory and object storage, or both. The default for --from and --to is the " +
    "data directory. The source does not change, and the target must be empty. Everything " +
    "is verified by hash and count. After an interruption, run the same command again to " +
    "continue. Passwords and access keys are read from SVC_KV_PASSWORD, " +
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from files. Logs, databases and " +
    "pushed repositories stay in the data directory.",
  define: (command) =>
    command
      .option("--data-dir <dir>", "data directory (default: $XDG_DATA_HOME/svc)")
      .option("--from <place>", "postgres://…, s3://…, or a path; repeatable", repeatedList)
      .option("--to <place>", "postgres://…, s3://…, or a path; repeatable", repeatedList)
      .option("--kv <place>", "location of the records, if you move only files")
      .option("--keys-file <file>", "keys file, if it is outside the data directory")
      .option("--dry-run", "check both sides, but move nothing"),
  examples: [
    [
      "migrate-store --to postgres://svc@pg1,pg2/svc --to 's3://files/svc?endpoint=https://s3.example.com'",
      "move the default data directory to PostgreSQL and object storage",
    ],
    [
      "migrate-store --data-dir /srv/svc --keys-file /etc/svc/keys.json --from postgres://svc@pg1,pg2/svc",
      "move records back to a new data directory",
    ],
    [
      "migrate-store --to 's3://files/svc?endpoint=https://s3.example.com' --dry-run",
      "show how many files would be moved",
    ],
  ],
  async run({ flags }, ctx) {
    const [from, to] = [
      readPlaces(ctx, "--from", flags.from),
      readPlaces(ctx, "--to", flags.to),
    ];
    const ends = definedOnly({
      records: endsOf("records", from, to),
      files: endsOf("files", from, to),
    });
    if (Object.keys(ends).length === 0) {
      throw new CliError("usage", "Nothing to move: use --to or --from");
    }
    const serve = await import("../../serve/mod.ts");
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    const keysFile = flags.keysFile === undefined ? undefined : ctx.path(flags.keysFile);
    let progress: Progress | undefined;
    try {
      const report = await serve.migrateStore({
        dataDir,
        ...ends,
        version: VERSION,
        env: ctx.env,
        signal: ctx.signal,
        ...definedOnly({ kv: flags.kv, keysFile, dryRun: flags.dryRun }),
        onTrouble: (message) => ctx.ui.log("env", "warn", message),
        onPart(part, total) {
          progress?.end();
          progress = ctx.ui.progress("env", { label: `Moving ${part}`, ...total });
        },
        onProgress: (done) => progress?.add(done),
      });
      progress?.end();
      tell(report, ctx);
      ctx.ui.result({ ...report }, "");
    } catch (cause) {
      progress?.end();
      throw explain(cause, serve, progress !== undefined);
    }
  },
});

function tell({ records, files, planned, resumed, stays }: MigrationReport, { ui }: Context): void {
  if (planned !== undefined) {
    const parts = [
      ...(planned.records ? [`${formatCount(planned.records.files, "record")}`] : []),
      ...(planned.files
        ? [`${formatCount(planned.files.files, "file")}, ${formatBytes(planned.files.bytes)}`]
        : []),
    ];
    ui.done("env", `Nothing was moved. Found ${parts.join(" and ")}`);
  }
  if (resumed) ui.log("env", "info", sayResumed({ files, records, planned }));
  if (files) {
    const amount = `${formatCount(files.blobs, "file")}, ${formatBytes(files.bytes)}`;
    ui.done(
      "env",
      `The target has ${amount}. This run copied ${formatCount(files.copied, "file")}`,
    );
  }
  if (records) {
    const { count, copied, sha256 } = records;
    const amount = `${formatCount(count, "record")}, SHA-256 ${sha256}`;
    ui.done("env", `The target has ${amount}. This run copied ${formatCount(copied, "record")}`);
  }
  for (const { path, what } of stays) ui.log("env", "info", `Stays in ${path}: ${what}`);
}

function sayResumed({ files, records, planned }: Partial<MigrationReport>): string {
  if (planned !== undefined) return "The target already has part of this move";
  return [files, records].every((part) => part === undefined || part.copied === 0)
    ? "The target already had everything"
    : "Continued an interrupted move";
}

/** Returns the storage's own error message, which the error for the platform's users leaves out. */
function sayUnavailable({ message, cause }: Error): string {
  const isUntold = cause instanceof Error && !message.includes(cause.message);
  return isUntold ? `The file storage cannot be used: ${cause.message}` : message;
}

function explain(
  cause: unknown,
  serve: typeof import("../../serve/mod.ts"),
  hasBegun: boolean,
): unknown {
  if (cause instanceof serve.DataDirInUseError || cause instanceof serve.StoreInUseError) {
    return new CliError("data_dir_in_use", cause.message, { cause });
  }
  if (cause instanceof serve.DataDirUnusableError) {
    return new CliError("data_dir_unusable", cause.message, { cause });
  }
  if (cause instanceof serve.DataNewerError) {
    return new CliError("data_newer", cause.message, { cause });
  }
  if (cause instanceof serve.DataNotMigratedError) {
    return new CliError("data_not_migrated", cause.message, { cause });
  }
  if (cause instanceof serve.StoreUnusableError || cause instanceof serve.UnavailableError) {
    const message = cause instanceof serve.UnavailableError ? sayUnavailable(cause) : cause.message;
    const hint = "Copied data is kept. Run the command again to continue";
    return new CliError("store_unusable", message, { ...(hasBegun ? { hint } : {}), cause });
  }
  if (cause instanceof serve.DataIncompleteError) {
    return new CliError("data_incomplete", cause.message, { cause });
  }
  if (cause instanceof serve.MigrationError || cause instanceof serve.KeyFileError) {
    return new CliError("data_incomplete", cause.message, { cause });
  }
  return cause instanceof TypeError ? new CliError("usage", cause.message, { cause }) : cause;
}
