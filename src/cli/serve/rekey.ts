import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { CliError } from "../errors/cli_error.ts";
import { dataFolder } from "../session/user_folders.ts";
import { formatCount } from "../terminal/format.ts";

export default defineCommand({
  description:
    "Deletes the old key afterward. Stop the platform first. You can repeat an interrupted run.",
  define: (command) =>
    command
      .option("--data-dir <dir>", "data directory (default: $XDG_DATA_HOME/svc)")
      .option("--kv <path>", "Deno KV database, if it is outside the data directory"),
  examples: [["rekey", "encrypt the secrets of the default data directory with a new key"]],
  async run({ flags }, ctx) {
    const serve = await import("../../serve/mod.ts");
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    try {
      const resealed = await serve.rekeyDataDir({
        dataDir,
        env: ctx.env,
        ...definedOnly({ kv: flags.kv }),
      });
      ctx.ui.done("env", `Encrypted ${formatCount(resealed, "secret")} with a new key`);
      ctx.ui.result({ resealed }, "");
    } catch (cause) {
      if (cause instanceof serve.DataDirInUseError) {
        throw new CliError("data_dir_in_use", cause.message, { cause });
      }
      if (cause instanceof serve.DataNewerError) {
        throw new CliError("data_newer", cause.message, { cause });
      }
      if (cause instanceof serve.DataNotMigratedError) {
        throw new CliError("data_not_migrated", cause.message, { cause });
      }
      if (cause instanceof serve.DataIncompleteError) {
        throw new CliError("data_incomplete", cause.message, { cause });
      }
      if (cause instanceof serve.StoreUnusableError) {
        throw new CliError("store_unusable", cause.message, { cause });
      }
      if (!(cause instanceof serve.KeyFileError)) throw cause;
      throw new CliError("not_found", cause.message, { cause });
    }
  },
});
