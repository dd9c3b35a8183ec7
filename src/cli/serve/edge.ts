import { join as joinPath } from "node:path";
import { isSecureUrl } from "../../lib/secure_url.ts";
import { defineCommand } from "../command/command.ts";
import {
  countryCode,
  httpUrl,
  repeated,
  repeatedAddress,
  wholeNumber,
} from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import { cacheFolder } from "../session/user_folders.ts";
import { VERSION } from "../version.ts";
import { createPlatformLog } from "./platform_log.ts";

const DEFAULT_PORT = 8788;
const MINUTE_MS = 60_000;
const DEFAULT_CACHE_BYTES = 10 * 1024 ** 3;

const stopped = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

export default defineCommand({
  description:
    "Serves files, redirects and denials for all sites, and forwards all other requests to the " +
    "platform, which evaluates the rules again. Set SVC_EDGE_KEY to the key that svc edges " +
    "add prints. If the platform is unreachable, the edge keeps serving the last state it " +
    "received. It listens on plain HTTP, and on HTTPS with --https-port.",
  define: (command) =>
    command
      .requiredOption("--join <url>", "URL of the platform", httpUrl)
      .option("--host <address>", "address to listen on (default: 127.0.0.1)")
      .option(
        "-p, --port <port>",
        `port to listen on; 0 for any free port (default: ${DEFAULT_PORT})`,
        wholeNumber({ min: 0, max: 65535 }),
      )
      .option(
        "--https-port <port>",
        "port for HTTPS, with the certificates that the platform orders; 0 for any free port",
        wholeNumber({ min: 0, max: 65535 }),
      )
      .option(
        "--public-address <ip>",
        "public IP address of the edge, for svc's own DNS; repeatable",
        repeatedAddress,
      )
      .option(
        "--country <code>",
        "country of the edge, for svc's own DNS (default: looked up from --public-address)",
        countryCode,
      )
      .option("--cache-dir <dir>", "directory for files (default: $XDG_CACHE_HOME/svc/edge)")
      .option(
        "--cache-bytes <n>",
        "maximum total size of the files in bytes (default: 10 GiB)",
        wholeNumber({ min: 1024 * 1024, max: Number.MAX_SAFE_INTEGER }),
      )
      .option(
        "--refuse-after <minutes>",
        "respond to everything with 503 after this time without the platform (default: never)",
        wholeNumber({ min: 0, max: 1_000_000 }),
      )
      .option(
        "--trust-proxy <cidr>",
        "proxy or load balancer that can set X-Forwarded-For; repeatable",
        repeated,
      ),
  examples: [
    [
      "edge --join https://platform.example --host 0.0.0.0",
      "run a front edge for a platform, with its key in SVC_EDGE_KEY",
    ],
  ],
  async run({ flags }, ctx) {
    const key = ctx.env.SVC_EDGE_KEY;
    if (key === undefined || key === "") {
      throw new CliError("usage", "Set SVC_EDGE_KEY to the key that svc edges add prints");
    }
    const join = new URL(flags.join);
    if (flags.httpsPort !== undefined && !isSecureUrl(join)) {
      throw new CliError("usage", "With --https-port, --join must be an https URL", {
        hint: "The edge gets private keys from the platform, which plain HTTP does not protect",
      });
    }
    const { AddrInUse } = Deno.errors;
    const { EdgeKeyError, startFrontEdge } = await import("../../serve/mod.ts");
    const { host = "127.0.0.1", port = DEFAULT_PORT, cacheDir, trustProxy = [] } = flags;
    const onStop = stopped(ctx.signal);
    const edge = await startFrontEdge({
      join,
      key,
      host,
      port,
      httpsPort: flags.httpsPort,
      place: { addresses: flags.publicAddress ?? [], country: flags.country },
      cacheDir: cacheDir === undefined
        ? joinPath(cacheFolder(ctx.env), "edge")
        : ctx.path(cacheDir),
      cacheBytes: flags.cacheBytes ?? DEFAULT_CACHE_BYTES,
      refuseAfterMs: (flags.refuseAfter ?? Infinity) * MINUTE_MS,
      stopped: onStop,
      trustProxy,
      version: VERSION,
      log: createPlatformLog(ctx, "text"),
    }).catch((cause) => {
      if (cause instanceof EdgeKeyError) {
        throw new CliError("unauthorized", cause.message, {
          hint: "Create a key with svc edges add, and set SVC_EDGE_KEY to it",
          cause,
        });
      }
      if (!(cause instanceof AddrInUse)) throw cause;
      const ports = flags.httpsPort === undefined ? `${port}` : `${port} or ${flags.httpsPort}`;
      throw new CliError("port_in_use", `${host}:${ports} is in use`, {
        hint: "Choose other ports with --port and --https-port. Port 0 uses any free port",
        cause,
      });
    });
    if (edge === undefined) return;
    const authority = host.includes(":") ? `[${host}]` : host;
    const url = `http://${authority}:${edge.port}`;
    const { name, httpsPort } = edge;
    const secure = httpsPort === undefined ? {} : { httpsUrl: `https://${authority}:${httpsPort}` };
    ctx.ui.done("deploy", `Front edge ${name} ready at ${url}`);
    ctx.ui.result({ url, ...secure, edge: name }, url);
    try {
      await Promise.race([onStop, edge.finished]);
    } finally {
      await edge.shutdown();
    }
  },
});
