import { join as joinPath } from "node:path";
import { defineCommand } from "../command/command.ts";
import { httpUrl, repeated, wholeNumber } from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import { cacheFolder } from "../session/user_folders.ts";
import { VERSION } from "../version.ts";
import { createPlatformLog } from "./platform_log.ts";

const DEFAULT_PORT = 8788;
const DEFAULT_CACHE_BYTES = 10 * 1024 ** 3;

const stopped = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

export default defineCommand({
  description:
    "Serves files, redirects and denials of all sites, and forwards all other requests to the " +
    "platform, which evaluates the rules again. Set SVC_EDGE_KEY to the key that svc edges " +
    "add prints. If the platform is unreachable, the edge keeps serving the last state it " +
    "received. It listens on plain HTTP: put a load balancer with TLS in front of it.",
  define: (command) =>
    command
      .requiredOption("--join <url>", "URL of the platform", httpUrl)
      .option("--host <address>", "address to listen on (default: 127.0.0.1)")
      .option(
        "-p, --port <port>",
        `port to listen on; 0 for any free port (default: ${DEFAULT_PORT})`,
        wholeNumber({ min: 0, max: 65535 }),
      )
      .option("--cache-dir <dir>", "directory for files (default: $XDG_CACHE_HOME/svc/edge)")
      .option(
        "--cache-bytes <n>",
        "maximum size of the files in bytes (default: 10 GiB)",
        wholeNumber({ min: 1024 * 1024, max: Number.MAX_SAFE_INTEGER }),
      )
      .option(
        "--trust-proxy <cidr>",
        "proxy or load balancer that can set X-Forwarded-For; repeatable",
        repeated,
      ),
  examples: [
    [
      "edge --join https://platform.example --host 0.0.0.0",
      "run a front edge of a platform, with its key in SVC_EDGE_KEY",
    ],
  ],
  async run({ flags }, ctx) {
    const key = ctx.env.SVC_EDGE_KEY;
    if (key === undefined || key === "") {
      throw new CliError("usage", "Set SVC_EDGE_KEY to the key that svc edges add prints");
    }
    const { AddrInUse } = Deno.errors;
    const { EdgeKeyError, startFrontEdge } = await import("../../serve/mod.ts");
    const { host = "127.0.0.1", port = DEFAULT_PORT, cacheDir, trustProxy = [] } = flags;
    const edge = await startFrontEdge({
      join: new URL(flags.join),
      key,
      host,
      port,
      cacheDir: cacheDir === undefined
        ? joinPath(cacheFolder(ctx.env), "edge")
        : ctx.path(cacheDir),
      cacheBytes: flags.cacheBytes ?? DEFAULT_CACHE_BYTES,
      trustProxy,
      version: VERSION,
      log: createPlatformLog(ctx, "text"),
    }).catch((cause) => {
      if (!(cause instanceof AddrInUse)) throw cause;
      throw new CliError("port_in_use", `${host}:${port} is in use`, {
        hint: "Choose another port with svc edge --port <port>. Port 0 uses any free port",
        cause,
      });
    });
    const ended = Promise.race([stopped(ctx.signal), edge.finished]);
    try {
      const name = await Promise.race([edge.ready, ended]);
      if (name === undefined) return;
      const url = `http://${host.includes(":") ? `[${host}]` : host}:${edge.port}`;
      ctx.ui.done("deploy", `Front edge ${name} ready at ${url}`);
      ctx.ui.result({ url, edge: name }, url);
      await ended;
    } catch (cause) {
      if (!(cause instanceof EdgeKeyError)) throw cause;
      throw new CliError("unauthorized", cause.message, {
        hint: "Create a key with svc edges add, and set SVC_EDGE_KEY to it",
        cause,
      });
    } finally {
      await edge.shutdown();
    }
  },
});
