import { defineCommand } from "../command/command.ts";
import { dataFolder } from "../session/user_folders.ts";
import { formatBytes, formatCount } from "../terminal/format.ts";
import { explainBackup } from "./explain_backup.ts";

export default defineCommand({
  description:
    "Verifies every file, record, blob and database page before it creates the directory. The directory must not exist, or must be empty. Data is never overwritten.",
  define: (command) =>
    command
      .argument("<file>", "file from svc backup")
      .option("--data-dir <dir>", "directory to create (default: $XDG_DATA_HOME/svc)")
      .option("--damaged", "also restore a backup with damaged data"),
  examples: [[
    "restore svc-backup.tar --data-dir ./data",
    "restore to ./data, for svc serve --data-dir",
  ]],
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
