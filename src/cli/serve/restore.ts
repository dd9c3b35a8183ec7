import { CliError } from "../errors/cli_error.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { isRemotePlace } from "../../lib/is_s3_place.ts";
import type { Context } from "../session/context.ts";
import { dataFolder } from "../session/user_folders.ts";
import { formatBytes, formatCount, printable } from "../terminal/format.ts";
import { formatTable } from "../terminal/table.ts";
import { explainBackup } from "./explain_backup.ts";

const placeOf = (ctx: Context, given: string): string =>
  isRemotePlace(given) ? given : ctx.path(given);

async function list(ctx: Context, place: string): Promise<void> {
  const { listPlace } = await import("../../serve/mod.ts");
  const { backups, problems } = await listPlace(place, ctx.env);
  for (const problem of problems) ctx.ui.note(printable(problem));
  const rows = backups.map(({ name, encrypted, bytes, program, check }) => [
    name,
    formatBytes(bytes),
    encrypted ? "yes" : "no",
    check === null
      ? "not verified by restoring it"
      : `${formatCount(check.records, "record")}, ${formatCount(check.blobs, "blob")}, ${
        formatCount(check.databases, "database")
      } with ${formatCount(check.rows, "row")}`,
    program,
  ]);
  const table = formatTable(["NAME", "SIZE", "ENCRYPTED", "CHECKED", "VERSION"], rows);
  ctx.ui.result({ backups: [...backups] }, rows.length === 0 ? "No backups" : table);
}

export default defineCommand({
  description:
    "Verifies every file, record, blob and database page before it creates the directory. The " +
    "directory must not exist, or must be empty. Data is never overwritten. A backup of a " +
    "platform on PostgreSQL or object storage becomes a data directory as well: svc " +
    "migrate-store moves it to other stores.",
  define: (command) =>
    command
      .argument("[file]", "file from svc backup")
      .option(
        "--from <place>",
        "directory, s3:// or sftp:// URL with backups from svc serve --backup or svc backup",
      )
      .option("--list", "list the backups at that location")
      .option("--at <name>", "name of the backup (default: the newest)")
      .option("--identity <file>", "secret key of an encrypted backup")
      .option("--data-dir <dir>", "directory to create (default: $XDG_DATA_HOME/svc)")
      .option("--damaged", "also restore a backup with damaged data"),
  examples: [
    [
      "restore svc-backup.tar --data-dir ./data",
      "restore to ./data, for svc serve --data-dir",
    ],
    ["restore --from /mnt/backups --list", "list the backups in a directory"],
    [
      "restore --from 's3://backups/svc?endpoint=https://s3.example.com' --identity backup.key",
      "restore the newest backup",
    ],
  ],
  async run({ args: [file], flags }, ctx) {
    const { BackupError, restoreBackup, restoreFromPlace } = await import("../../serve/mod.ts");
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    const { from } = flags;
    if ((file === undefined) === (from === undefined)) {
      throw new CliError(
        "usage",
        "Pass either a backup file, or --from with a directory, s3:// or sftp:// URL",
      );
    }
    if (file !== undefined && isRemotePlace(file)) {
      throw new CliError("usage", "Use --from for a directory or URL with many backups");
    }
    const unused = from === undefined &&
      (["list", "at", "identity"] as const).find((name) => flags[name] !== undefined);
    if (unused) throw new CliError("usage", `--${unused} needs --from`);
    const takesDamaged = flags.damaged === true;
    try {
      if (from !== undefined && flags.list === true) return await list(ctx, placeOf(ctx, from));
      const restored = from === undefined
        ? { ...await restoreBackup({ from: ctx.path(file!), dataDir, takesDamaged }) }
        : await restoreFromPlace({
          place: placeOf(ctx, from),
          dataDir,
          takesDamaged,
          env: ctx.env,
          ...definedOnly({
            at: flags.at,
            identityFile: flags.identity === undefined ? undefined : ctx.path(flags.identity),
          }),
        });
      const { files, bytes, backup: { createdAt, program } } = restored;
      const name = "name" in restored ? { name: restored.name } : {};
      ctx.ui.done(
        "env",
        `Restored ${formatCount(files, "file")} (${formatBytes(bytes)}) that svc ${program} ` +
          `backed up at ${createdAt}`,
      );
      ctx.ui.result({ dataDir, files, bytes, createdAt, ...name }, dataDir);
    } catch (cause) {
      throw explainBackup(cause, BackupError);
    }
  },
});
