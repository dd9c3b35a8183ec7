import { systemClock } from "../../lib/clock.ts";
import { isS3Place } from "../../lib/is_s3_place.ts";
import { CliError } from "../errors/cli_error.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { dataFolder } from "../session/user_folders.ts";
import { formatBytes, formatCount } from "../terminal/format.ts";
import { VERSION } from "../version.ts";
import { explainBackup } from "./explain_backup.ts";

export default defineCommand({
  description:
    "Holds all records, the files of deployments, build logs, managed databases, and the keys " +
    "of all secrets: keep it as safe as the data itself. A platform may be running on the " +
    "directory; records are as they were at one moment, and so is each database. Databases of " +
    "a server elsewhere are read with the URL in SVC_POSTGRES_URL. Caches, access logs, " +
    "snapshots of databases, and stores that are not on this machine are left out.",
  define: (command) =>
    command
      .argument("<file>", "file to be made, such as svc-backup.tar")
      .option("--data-dir <dir>", "directory of all data (default: $XDG_DATA_HOME/svc)")
      .option("--kv <path>", "Deno KV database, if it is not in the data directory")
      .option("--blobs <dir>", "directory of file contents, if it is not in the data directory")
      .option("--verify", "read and compare everything first; refuse where something is damaged")
      .option("--force", "replace the file if it is there"),
  examples: [
    ["backup svc-backup.tar", "back up the default data directory"],
    ["backup svc-backup.tar --verify", "read every record, blob and page of a database first"],
    ["backup /mnt/safe/today.tar --data-dir ./data --force", "another one, over an older backup"],
  ],
  async run({ args: [file], flags }, ctx) {
    const { BackupError, isStoreUrl, makeBackup } = await import("../../serve/mod.ts");
    if (flags.blobs !== undefined && isS3Place(flags.blobs)) {
      throw new CliError("usage", "Leave --blobs out: a backup does not hold an object storage", {
        hint: "Records and keys are in the backup; the storage has versions or copies of its own",
      });
    }
    if (flags.kv !== undefined && isStoreUrl(flags.kv)) {
      throw new CliError("usage", "Cannot back up a store in PostgreSQL: use pg_dump for it", {
        hint: "Keep keys.json and the blobs beside the dump. svc doctor --deep --kv <url> reads " +
          "every record, blob and key",
      });
    }
    const to = ctx.path(file);
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    const pathOf = (given: string | undefined) => given === undefined ? given : ctx.path(given);
    const places = definedOnly({ kv: pathOf(flags.kv), blobs: pathOf(flags.blobs) });
    try {
      if (flags.force !== true && await Deno.stat(to).then(() => true, () => false)) {
        throw new BackupError(
          `Cannot write ${to}: it is there already`,
          "Add --force to replace it",
        );
      }
      const report = await makeBackup({
        dataDir,
        to,
        version: VERSION,
        now: systemClock,
        ...places,
        databases: { postgres: ctx.env.SVC_POSTGRES_URL },
        verifies: flags.verify === true,
      });
      const size = formatBytes(report.bytes);
      ctx.ui.done("env", `Backed up ${formatCount(report.files, "file")}, ${size}`);
      ctx.ui.result({ file: to, ...report }, to);
    } catch (cause) {
      throw explainBackup(cause, BackupError);
    }
  },
});
