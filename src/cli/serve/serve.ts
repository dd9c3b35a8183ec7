import {
  defineCommand,
  definedOnly,
  hostName,
  httpUrl,
  repeatedList,
  wholeNumber,
} from "../command/mod.ts";
import { type Context, dataFolder } from "../session/mod.ts";
import { formatFacts } from "../terminal/mod.ts";
import { startOn } from "./start_on.ts";

type Platform = Awaited<ReturnType<typeof startOn>>;

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * A person at a terminal gets the new key stored, so that the next command just
 * works. A credentials file that can not be written is no reason to stop.
 */
async function keepToken(ctx: Context, platform: Platform): Promise<void> {
  const { token, url } = platform;
  if (token === undefined || ctx.prompter === undefined) return;
  const savedAt = new Date(ctx.now());
  try {
    await ctx.credentials.saveLogin({ apiUrl: url, workspace: "default", token, savedAt });
    ctx.ui.done("auth", `Stored the key in ${ctx.credentials.path}: svc uses it for ${url}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    ctx.ui.log("auth", "warn", `The key is not stored: ${reason}`);
  }
}

/** What a program that started the platform cannot know: free ports, and the owner's link. */
function tellPrograms(ctx: Context, host: string, platform: Platform): void {
  const { port, httpsPort, ownerLink } = platform;
  const authority = host.includes(":") ? `[${host}]` : host;
  const secure = httpsPort === undefined ? "" : ` and https://${authority}:${httpsPort}`;
  ctx.ui.debug("deploy", `Listening on http://${authority}:${port}${secure}`);
  if (ownerLink !== undefined) ctx.ui.debug("auth", `Owner's link, which works once: ${ownerLink}`);
}

function announce(ctx: Context, platform: Platform, dataDir: string): void {
  const { token, url, ownerLink } = platform;
  const { colors } = ctx.ui;
  ctx.ui.done("deploy", `Platform ready at ${colors.bold(url)}`);
  // One that the operator gave is known to them, and has no place in a log.
  const minted = ctx.env.SVC_BOOTSTRAP_TOKEN ? undefined : token;
  ctx.ui.note(formatFacts([["  data", dataDir], ["  owner", ownerLink], ["  key", minted]]));
  if (ownerLink !== undefined) {
    ctx.ui.note("The owner's link works once: it sets the email and password to sign in with");
  }
  if (minted !== undefined) {
    ctx.ui.note(
      `The key is shown this once. Use it: export SVC_API_URL=${url} SVC_TOKEN=${minted}`,
    );
  }
  ctx.ui.note(colors.dim("Ctrl-C stops it"));
  ctx.ui.result({ url, ...definedOnly({ token }) }, url);
}

function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

export default defineCommand({
  description: "On an empty data directory it makes the workspace `default`, an owner and one " +
    "key: SVC_BOOTSTRAP_TOKEN, else a random one that is printed once. It runs until it gets " +
    "SIGINT or SIGTERM, answers what is under way, and exits with 0.",
  define: (command) =>
    command
      .option("--host <address>", "address to listen on", "127.0.0.1")
      .option(
        "--port <port>",
        "port; 0 takes a free one",
        wholeNumber({ min: 0, max: 65535 }),
        8787,
      )
      .option("--data-dir <dir>", "directory of all data (default: $XDG_DATA_HOME/svc)")
      .option(
        "--base-domain <domain>",
        "domain below which deployments have hosts",
        hostName,
        "localhost",
      )
      .option("--public-url <url>", "address under which others reach the platform", httpUrl)
      .option("--kv <path>", "Deno KV database, path or URL (default: in the data directory)")
      .option("--blobs <dir>", "directory of file contents (default: in the data directory)")
      .option(
        "--trust-proxy <cidr>",
        "proxies whose forwarding headers count; repeatable",
        repeatedList,
      )
      .option(
        "--max-connections <n>",
        "connections at the same time (default: half of the files that the process may open)",
        wholeNumber({ min: 1, max: 1_000_000 }),
      )
      .option(
        "--max-connections-per-address <n>",
        "of them, those of one address, trusted proxies exempt (default: 256)",
        wholeNumber({ min: 1, max: 1_000_000 }),
      )
      .option(
        "--handshake-timeout <s>",
        "seconds for a TLS handshake (default: 10)",
        wholeNumber({ min: 1, max: 3600 }),
      )
      .option(
        "--head-timeout <s>",
        "seconds for the head of a connection's first request (default: 15)",
        wholeNumber({ min: 1, max: 3600 }),
      )
      .option(
        "--body-timeout <s>",
        "seconds without progress of a body, in either direction (default: 60)",
        wholeNumber({ min: 1, max: 3600 }),
      )
      .option(
        "--keep-alive-timeout <s>",
        "seconds from an answer to the next request of a connection (default: 75)",
        wholeNumber({ min: 1, max: 86_400 }),
      )
      .option(
        "--allow-private-upstreams",
        "let rewrites, functions and webhooks reach private addresses",
      )
      .option(
        "--allow-unsandboxed-servers",
        "run servers of deployments where the system offers no whole sandbox",
      )
      .option(
        "--max-servers <n>",
        "servers of deployments at the same time (default: what the machine can bear)",
        wholeNumber({ min: 1, max: 100_000 }),
      )
      .option(
        "--max-function-processes <n>",
        "processes of functions at the same time (default: what the machine can bear)",
        wholeNumber({ min: 1, max: 100_000 }),
      )
      .option(
        "--git-root <dir>",
        "folder below which projects may have local repositories; repeatable",
        repeatedList,
      )
      .option("--allow-unsandboxed-builds", "build where the system offers no walls for builds")
      .option(
        "--build-minutes <n>",
        "longest time of one build (default: 15)",
        wholeNumber({ min: 1, max: 1440 }),
      )
      .option(
        "--build-memory-mb <n>",
        "most memory of one build, in MB (default: 4295)",
        wholeNumber({ min: 50, max: 1_000_000 }),
      )
      .option(
        "--build-disk-mb <n>",
        "most disk space of one build, in MB (default: 10737)",
        wholeNumber({ min: 10, max: 1_000_000_000 }),
      )
      .option(
        "--build-processes <n>",
        "processes and threads of one build at the same time (default: 1024)",
        wholeNumber({ min: 16, max: 100_000 }),
      )
      .option(
        "--build-uid <uid>",
        "first of the users that builds run as, where the platform is root (default: 60800)",
        wholeNumber({ min: 1000, max: 2_000_000_000 }),
      )
      .option(
        "--build-concurrency <n>",
        "builds from git at the same time (default: one for two processors)",
        wholeNumber({ min: 1, max: 1000 }),
      )
      .option(
        "--keep-deployments <n>",
        "latest deployments of a project that stay, whatever their age (default: 50)",
        wholeNumber({ min: 1, max: 1_000_000 }),
      )
      .option(
        "--keep-days <days>",
        "days for which every deployment stays (default: 30)",
        wholeNumber({ min: 0, max: 100_000 }),
      )
      .option(
        "--upstream-ca <file>",
        "PEM file with certificates that rewrites and functions trust beside the system's",
      )
      .option("--geoip <file>", "MMDB file with countries, in place of the one inside")
      .option("--asn <file>", "MMDB file with autonomous systems")
      .option("--tls-cert <file>", "PEM certificate chain for all hosts; needs --tls-key")
      .option("--tls-key <file>", "PEM private key of the certificate")
      .option(
        "--https-port <port>",
        "port for HTTPS, with --tls-cert or --acme-directory (default: 443)",
        wholeNumber({ min: 0, max: 65535 }),
      )
      .option("--acme-directory <url>", "certificates for custom domains from this ACME authority")
      .option("--acme-contact <email>", "address that the authority may write to")
      .option("--acme-agree-terms", "agree to the authority's terms of service")
      .option("--acme-ca <file>", "PEM file that a private authority's own server is trusted by")
      .option("--dns-server <address>", "DNS server that `domains verify` asks, host or host:port")
      .option("--smtp-url <url>", "mail server, smtp[s]://user:pass@host:port (or SVC_SMTP_URL)")
      .option("--mail-from <address>", "sender of mails, as user@host or Name <user@host>")
      .option("--bot-token <token>", "token of a Telegram bot; better in SVC_BOT_TOKEN")
      .option("--bot-api <url>", "address of the Bot API, where it is not Telegram's own", httpUrl)
      .option("--bot-name <name>", "name of the bot, where it shall not be asked for")
      .option(
        "--public-address <ip>",
        "address of this platform for A and AAAA records; repeatable",
        repeatedList,
      ),
  examples: [
    ["serve", "run a platform on http://localhost:8787"],
    ["serve --port 9000 --data-dir ./data", "with its data in ./data"],
    ["serve --json", 'print {"url","token"} when ready, for scripts'],
  ],
  answers: "{ url, token? }",
  async run({ flags }, ctx) {
    const dataDir = flags.dataDir === undefined ? dataFolder(ctx.env) : ctx.path(flags.dataDir);
    if (!LOOPBACK.has(flags.host) && flags.tlsCert === undefined) {
      ctx.ui.log("deploy", "warn", `Reachable from other machines, without TLS, on ${flags.host}`);
    }
    const platform = await startOn(ctx, dataDir, flags);
    try {
      tellPrograms(ctx, flags.host, platform);
      announce(ctx, platform, dataDir);
      await keepToken(ctx, platform);
      await Promise.race([untilStopped(ctx.signal), platform.finished]);
    } finally {
      ctx.ui.log("deploy", "info", "Stopping: finishing the requests under way");
      await platform.shutdown();
    }
  },
});
