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
    "The backup has all records, deployment files, build logs, managed databases and the keys of all secrets, so protect it like the data itself. The platform can keep running: records and each database are consistent snapshots. Databases on another server are read with the URL in SVC_POSTGRES_URL. Caches, access logs, database snapshots and remote stores are not included.",
  define: (command) =>
    command
      .argument("<file>", "file to create, such as svc-backup.tar")
      .option("--data-dir <dir>", "data directory (default: $XDG_DATA_HOME/svc)")
      .option("--kv <path>", "Deno KV database, if it is outside the data directory")
      .option("--blobs <dir>", "directory of file contents, if it is outside the data directory")
      .option("--verify", "verify everything first, and fail if something is damaged")
      .option("--force", "replace an existing file"),
  examples: [
    ["backup svc-backup.tar", "back up the default data directory"],
    ["backup svc-backup.tar --verify", "verify every record, blob and database page first"],
    ["backup /mnt/safe/today.tar --data-dir ./data --force", "replace an older backup"],
  ],
  async run({ args: [file], flags }, ctx) {
    const { BackupError, isStoreUrl, makeBackup } = await import("../../serve/mod.ts");
    if (flags.blobs !== undefined && isS3Place(flags.blobs)) {
      throw new CliError("usage", "Cannot back up an object storage: remove --blobs", {
        hint:
          "The backup has records and keys. Use versioning or replication for the object storage",
      });
    }
    if (flags.kv !== undefined && isStoreUrl(flags.kv)) {
      throw new CliError("usage", "Cannot back up a store in PostgreSQL: use pg_dump for it", {
        hint:
          "Keep keys.json and the blobs with the dump. svc doctor --deep --kv <url> verifies every record, blob and key",
      });
    }
    const to = ctx.path(file);
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    const pathOf = (given: string | undefined) => given === undefined ? given : ctx.path(given);
    const places = definedOnly({ kv: pathOf(flags.kv), blobs: pathOf(flags.blobs) });
    try {
      if (flags.force !== true && await Deno.stat(to).then(() => true, () => false)) {
        throw new BackupError(
          `Cannot write ${to}: it already exists`,
          "Use --force to replace it",
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
