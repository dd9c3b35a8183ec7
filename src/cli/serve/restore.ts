import { defineCommand } from "../command/command.ts";
import { dataFolder } from "../session/user_folders.ts";
import { formatBytes, formatCount } from "../terminal/format.ts";
import { explainBackup } from "./explain_backup.ts";

export default defineCommand({
  description:
    "Verifies every file, record, blob and page of a database before the directory appears under its name. The directory must not " +
    "exist yet, or be empty: data is never overwritten.",
  define: (command) =>
    command
      .argument("<file>", "backup, as svc backup makes it")
      .option("--data-dir <dir>", "directory to be made (default: $XDG_DATA_HOME/svc)")
      .option("--damaged", "restore a backup that holds damaged data as well"),
  examples: [["restore svc-backup.tar --data-dir ./data", "into ./data, for svc serve --data-dir"]],
  async run({ args: [file], flags }, ctx) {
    const { BackupError, restoreBackup } = await import("../../serve/mod.ts");
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    try {
      const restored = await restoreBackup({
        from: ctx.path(file),
        dataDir,
        takesDamaged: flags.damaged === true,
      });
      const { files, bytes, backup: { createdAt, program } } = restored;
      ctx.ui.done(
        "env",
        `Restored ${formatCount(files, "file")}, ${formatBytes(bytes)}, that svc ${program} ` +
          `backed up at ${createdAt}`,
      );
      ctx.ui.result({ dataDir, files, bytes, createdAt }, dataDir);
    } catch (cause) {
      throw explainBackup(cause, BackupError);
    }
  },
});
