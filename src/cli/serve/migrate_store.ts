import { defineCommand, definedOnly } from "../command/mod.ts";
import { CliError } from "../errors/mod.ts";
import { isS3Place } from "../../lib/is_s3_place.ts";
import { type Context, dataFolder } from "../session/mod.ts";
import { formatBytes, formatCount } from "../terminal/mod.ts";

/** Blobs between two lines about the progress. */
const REPORT_EVERY = 1000;

/** A folder as it is named from where the command runs; undefined for the one of the data directory. */
function placeOf(ctx: Context, given: string | undefined): string | undefined {
  if (given === undefined || isS3Place(given)) return given;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
    throw new CliError("usage", "Name a directory of blobs, or s3://bucket/prefix?endpoint=…");
  }
  return ctx.path(given);
}

export default defineCommand({
  description:
    "Copies the contents of files between a directory and an object storage, in either " +
    "direction; records stay where they are. Each file is checked against its hash, and the " +
    "target is counted at the end. The source is left as it is. An interrupted run can be " +
    "repeated, and goes on. No platform may be running on the data directory. Access keys are " +
    "in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in a file.",
  define: (command) =>
    command
      .option("--data-dir <dir>", "directory of all data (default: $XDG_DATA_HOME/svc)")
      .option("--kv <path>", "Deno KV database, if it is not in the data directory")
      .option("--from <place>", "directory of blobs, or s3://… (default: in the data directory)")
      .option("--to <place>", "directory of blobs, or s3://… (default: in the data directory)"),
  examples: [
    [
      "migrate-store --to 's3://files/svc?endpoint=https://s3.example.com'",
      "from the default data directory to an object storage",
    ],
    [
      "migrate-store --from 's3://files/svc?endpoint=https://s3.example.com'",
      "and back",
    ],
  ],
  answers: "{ blobs, bytes, copied }",
  async run({ flags }, ctx) {
    const [from, to] = [placeOf(ctx, flags.from), placeOf(ctx, flags.to)];
    if (from === undefined && to === undefined) {
      throw new CliError(
        "usage",
        "Name where the files go with --to, or where they are with --from",
      );
    }
    const serve = await import("../../serve/mod.ts");
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    let [count, bytes] = [0, 0];
    try {
      const report = await serve.migrateBlobs({
        ...{ dataDir, env: ctx.env, signal: ctx.signal },
        ...definedOnly({ from, to, kv: flags.kv }),
        onTrouble: (message) => ctx.ui.log("env", "warn", message),
        onProgress(blob) {
          bytes += blob.size;
          if (++count % REPORT_EVERY > 0) return;
          ctx.ui.log("env", "info", `${formatCount(count, "file")}, ${formatBytes(bytes)}`);
        },
      });
      const amount = `${formatCount(report.blobs, "file")}, ${formatBytes(report.bytes)}`;
      ctx.ui.done("env", `The target has ${amount}; ${report.copied} were copied now`);
      ctx.ui.result({ ...report }, "");
    } catch (cause) {
      throw explain(cause, serve, count > 0);
    }
  },
});

function explain(
  cause: unknown,
  serve: typeof import("../../serve/mod.ts"),
  hasBegun: boolean,
): unknown {
  if (cause instanceof serve.DataDirInUseError) {
    return new CliError("data_dir_in_use", cause.message, { cause });
  }
  if (cause instanceof serve.DataDirUnusableError) {
    return new CliError("data_dir_unusable", cause.message, { cause });
  }
  if (cause instanceof serve.DataNewerError) {
    return new CliError("data_newer", cause.message, { cause });
  }
  if (cause instanceof serve.StoreUnusableError || cause instanceof serve.UnavailableError) {
    const hint = "What was copied stays; run it again to go on";
    return new CliError("store_unusable", cause.message, { ...(hasBegun ? { hint } : {}), cause });
  }
  if (cause instanceof serve.MigrationError) {
    return new CliError("data_incomplete", cause.message, { cause });
  }
  return cause instanceof TypeError ? new CliError("usage", cause.message, { cause }) : cause;
}
