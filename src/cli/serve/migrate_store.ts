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

/** The places of records and of files that a flag names. */
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
      throw new CliError("usage", `Name one place of ${kind} with ${flag}, and not several`);
    }
    const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(place);
    if (kind === "files" && isUrl && !isS3Place(place)) {
      throw new CliError(
        "usage",
        `Name postgres://…, s3://bucket/prefix?endpoint=…, a directory of files, or a database ` +
          `that ends with .sqlite3 with ${flag}`,
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
    "Moves a stopped platform: its records between a file and PostgreSQL, the contents of files " +
    "between a directory and an object storage, or both. What --from or --to does not name is " +
    "in the data directory. The source is left as it is; the target must be empty. Everything " +
    "is checked by hash and count. After an interruption, the same command goes on. Passwords " +
    "and access keys are in SVC_KV_PASSWORD, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in " +
    "files. Logs, databases and repositories that were pushed stay in the data directory.",
  define: (command) =>
    command
      .option("--data-dir <dir>", "directory of all data (default: $XDG_DATA_HOME/svc)")
      .option("--from <place>", "postgres://…, s3://…, or a path; repeatable", repeatedList)
      .option("--to <place>", "postgres://…, s3://…, or a path; repeatable", repeatedList)
      .option("--kv <place>", "where the records are, if they stay and are elsewhere")
      .option("--keys-file <file>", "keys that secrets are sealed with, if they are elsewhere")
      .option("--dry-run", "look at both sides, and move nothing"),
  examples: [
    [
      "migrate-store --to postgres://svc@pg1,pg2/svc --to 's3://files/svc?endpoint=https://s3.example.com'",
      "from the default data directory to PostgreSQL and an object storage",
    ],
    [
      "migrate-store --data-dir /srv/svc --keys-file /etc/svc/keys.json --from postgres://svc@pg1,pg2/svc",
      "records back into a new data directory",
    ],
    [
      "migrate-store --to 's3://files/svc?endpoint=https://s3.example.com' --dry-run",
      "how many files would be moved",
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
      throw new CliError("usage", "Name where the platform goes with --to, or is with --from");
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
    ui.done("env", `Nothing was moved. There are ${parts.join(", and ")}`);
  }
  if (resumed) ui.log("env", "info", sayResumed({ files, records, planned }));
  if (files) {
    const amount = `${formatCount(files.blobs, "file")}, ${formatBytes(files.bytes)}`;
    ui.done("env", `The target has ${amount}; ${files.copied} were copied now`);
  }
  if (records) {
    const { count, copied, sha256 } = records;
    const amount = formatCount(count, "record");
    ui.done("env", `The target has ${amount}; ${copied} were copied now. SHA-256 ${sha256}`);
  }
  for (const { path, what } of stays) ui.log("env", "info", `Stays in ${path}: ${what}`);
}

function sayResumed({ files, records, planned }: Partial<MigrationReport>): string {
  if (planned !== undefined) return "The target has some of it, or all, from this move";
  return [files, records].every((part) => part === undefined || part.copied === 0)
    ? "The target had all of it already"
    : "This went on with a move that was interrupted";
}

/** Says what a storage answered, which users of a platform are not told. */
function sayUnavailable({ message, cause }: Error): string {
  const isUntold = cause instanceof Error && !message.includes(cause.message);
  return isUntold ? `The storage of files cannot be used: ${cause.message}` : message;
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
    const hint = "What was copied stays; run it again to go on";
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
