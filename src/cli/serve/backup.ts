import { systemClock } from "../../lib/clock.ts";
import { isRemotePlace, isS3Place } from "../../lib/is_s3_place.ts";
import { CliError } from "../errors/cli_error.ts";
import { repeatedList, wholeNumber } from "../command/option_values.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import type { Context } from "../session/context.ts";
import { dataFolder } from "../session/user_folders.ts";
import { formatBytes, formatCount } from "../terminal/format.ts";
import { VERSION } from "../version.ts";
import { explainBackup } from "./explain_backup.ts";

/** Like `age-keygen`, writes a secret key to a new file, and prints the public key. */
async function createBackupKey(ctx: Context, path: string): Promise<void> {
  const { makeKeyPair } = await import("../../serve/mod.ts");
  const { identity, recipient } = await makeKeyPair();
  const text = `# created: ${
    new Date(ctx.now()).toISOString()
  }\n# public key: ${recipient}\n${identity}\n`;
  try {
    await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AlreadyExists)) throw cause;
    throw new CliError("backup_unusable", `Cannot write ${path}: it already exists`, {
      hint: "Use another file: older backups cannot be opened without the existing key",
    });
  }
  ctx.ui.done("env", `Created the secret key ${path}`);
  ctx.ui.note(
    "Store a copy of it away from the platform: without it, nobody can open the backups. " +
      `The platform needs only the public key: svc serve --backup-recipient ${recipient}`,
  );
  ctx.ui.result({ path, recipient }, recipient);
}

interface Flags {
  readonly dataDir?: string | undefined;
  readonly kv?: string | undefined;
  readonly blobs?: string | undefined;
  readonly keysFile?: string | undefined;
  readonly verify?: true | undefined;
  readonly force?: true | undefined;
  readonly recipient?: readonly string[] | undefined;
  readonly keep?: number | undefined;
}

/** Returns the data source for both kinds of backup: to a file, and to a directory or storage. */
function sourceOf(ctx: Context, flags: Flags) {
  const isUrl = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const pathOf = (given: string | undefined) =>
    given === undefined || isUrl(given) ? given : ctx.path(given);
  return {
    dataDir: flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir),
    version: VERSION,
    now: systemClock,
    env: ctx.env,
    databases: { postgres: ctx.env.SVC_POSTGRES_URL },
    verifies: flags.verify === true,
    ...definedOnly({
      kv: pathOf(flags.kv),
      blobs: pathOf(flags.blobs),
      keys: pathOf(flags.keysFile),
    }),
  };
}

/**
 * Returns true for a directory or a remote location, which can contain many backups. Any other path
 * is a single file.
 */
async function isPlace(ctx: Context, target: string): Promise<boolean> {
  if (isRemotePlace(target) || /[/\\]$/.test(target)) return true;
  return await Deno.stat(ctx.path(target)).then(({ isDirectory }) => isDirectory, () => false);
}

async function toPlace(ctx: Context, target: string, flags: Flags): Promise<void> {
  const { backUpToPlace } = await import("../../serve/mod.ts");
  if (flags.force === true) {
    throw new CliError(
      "usage",
      "--force applies only to a single file: a directory or object storage can hold many backups",
    );
  }
  const proven = await backUpToPlace({
    ...sourceOf(ctx, flags),
    place: isRemotePlace(target) ? target : ctx.path(target),
    recipients: flags.recipient ?? [],
    signal: ctx.signal,
    ...definedOnly({ keep: flags.keep }),
  });
  const { name, files, bytes, sentBytes, databases } = proven;
  ctx.ui.done(
    "env",
    `Backed up ${formatCount(files, "file")}, ${formatBytes(bytes)} (${
      formatBytes(sentBytes)
    } sent), and verified it by restoring it: ${formatCount(proven.records, "record")}, ${
      formatCount(proven.blobs, "blob")
    }, ${formatCount(databases.length, "database")} with ${
      formatCount(databases.reduce((sum, { rows }) => sum + rows, 0), "row")
    }`,
  );
  ctx.ui.result({ place: target, ...proven, databases: [...databases] }, name);
}

async function toFile(ctx: Context, target: string, flags: Flags): Promise<void> {
  const { BackupError, isStoreUrl, makeBackup } = await import("../../serve/mod.ts");
  if (flags.recipient !== undefined || flags.keep !== undefined) {
    throw new CliError(
      "usage",
      "--recipient and --keep need a directory, s3:// or sftp:// as the target",
      {
        hint: "Add a slash at the end of the path to create a directory",
      },
    );
  }
  if (flags.blobs !== undefined && isS3Place(flags.blobs)) {
    throw new CliError(
      "usage",
      "Cannot back up object storage to one file: use a directory or s3://",
    );
  }
  if (flags.kv !== undefined && isStoreUrl(flags.kv)) {
    throw new CliError(
      "usage",
      "Cannot back up a store in PostgreSQL to one file: use a directory or s3://",
    );
  }
  const to = ctx.path(target);
  if (flags.force !== true && await Deno.stat(to).then(() => true, () => false)) {
    throw new BackupError(`Cannot write ${to}: it already exists`, "Use --force to replace it");
  }
  const report = await makeBackup({ ...sourceOf(ctx, flags), to });
  const size = formatBytes(report.bytes);
  ctx.ui.done("env", `Backed up ${formatCount(report.files, "file")}, ${size}`);
  ctx.ui.result({ file: to, ...report }, to);
}

export default defineCommand({
  description:
    "The backup contains all records, deployment files, build logs, managed databases and the " +
    "keys of all secrets, so protect it like the data itself. The platform can keep running: " +
    "records and each database are consistent snapshots. Databases on another server are " +
    "read with the URL in SVC_POSTGRES_URL. Caches, access logs and database snapshots " +
    "are not included. A directory, s3:// or sftp:// target can hold many backups: only new " +
    "content is sent, and each backup is verified by restoring it to a temporary " +
    "directory. svc serve --backup does this regularly.",
  define: (command) =>
    command
      .argument(
        "[target]",
        "file to create, such as svc-backup.tar; or a directory (with a slash at the end), s3://bucket/prefix?endpoint=… or sftp://user@host/folder?… for many backups",
      )
      .option("--data-dir <dir>", "data directory (default: $XDG_DATA_HOME/svc)")
      .option("--kv <place>", "Deno KV database outside the data directory, or postgres://")
      .option("--blobs <place>", "directory for file contents outside the data directory, or s3://")
      .option("--keys-file <file>", "keys file, if it is outside the data directory")
      .option("--verify", "verify everything first, and fail if something is damaged")
      .option("--force", "replace an existing file")
      .option("--recipient <age1…>", "age public key to encrypt to; repeatable", repeatedList)
      .option(
        "--keep <n>",
        "keep this many verified backups, and remove older ones",
        wholeNumber({ min: 1, max: 10_000 }),
      )
      .option("--keygen <file>", "create a secret key in a new file, and print its public key"),
  examples: [
    ["backup svc-backup.tar", "back up the default data directory"],
    ["backup svc-backup.tar --verify", "verify every record, blob and database page first"],
    ["backup /mnt/safe/today.tar --data-dir ./data --force", "replace an older backup"],
    ["backup --keygen backup.key", "create a key pair for encrypted backups"],
    [
      "backup 's3://backups/svc?endpoint=https://s3.example.com' --recipient age1… --keep 30",
      "send new data, encrypted, to object storage",
    ],
  ],
  async run({ args: [target], flags }, ctx) {
    const { BackupError } = await import("../../serve/mod.ts");
    if (flags.keygen !== undefined) return await createBackupKey(ctx, ctx.path(flags.keygen));
    if (target === undefined) {
      throw new CliError("usage", "Pass the file, directory, s3:// or sftp:// URL to back up to");
    }
    try {
      if (await isPlace(ctx, target)) await toPlace(ctx, target, flags);
      else await toFile(ctx, target, flags);
    } catch (cause) {
      throw explainBackup(cause, BackupError);
    }
  },
});
