import { defineCommand, definedOnly } from "../command/mod.ts";
import { type Context, dataFolder } from "../session/mod.ts";
import { formatFacts } from "../terminal/mod.ts";
import { defineServeFlags } from "./flags.ts";
import { startOn } from "./start_on.ts";

type Platform = Awaited<ReturnType<typeof startOn>>;

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * A person at a terminal gets the new key stored, so that the next command just
 * works. A credentials file that cannot be written does not stop it.
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

/** Reports what a program that started the platform cannot know: free ports, and the owner's link. */
function reportToPrograms(ctx: Context, host: string, platform: Platform): void {
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
  // A key that the operator gave does not belong in a log.
  const minted = ctx.env.SVC_BOOTSTRAP_TOKEN ? undefined : token;
  ctx.ui.note(formatFacts([["  data", dataDir], ["  owner", ownerLink], ["  key", minted]]));
  if (ownerLink !== undefined) {
    ctx.ui.note("The owner's link works once: it sets the email and password to sign in with");
  }
  if (minted !== undefined) {
    ctx.ui.note(
      `The key is shown only this once. Use it: export SVC_API_URL=${url} SVC_TOKEN=${minted}`,
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
  description:
    "In an empty data directory it creates the workspace `default`, an owner and one key: " +
    "the value of SVC_BOOTSTRAP_TOKEN, or a random key that is printed once. It runs until " +
    "SIGINT or SIGTERM, finishes the requests in progress, and exits with code 0.",
  define: defineServeFlags,
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
      reportToPrograms(ctx, flags.host, platform);
      announce(ctx, platform, dataDir);
      await keepToken(ctx, platform);
      await Promise.race([untilStopped(ctx.signal), platform.finished]);
    } finally {
      ctx.ui.log("deploy", "info", "Stopping: finishing the requests in progress");
      await platform.shutdown();
    }
  },
});
