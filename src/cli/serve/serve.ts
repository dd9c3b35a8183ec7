import { printSettings } from "../../settings/mod.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatFacts } from "../terminal/table.ts";
import { printsToJournal } from "./journal.ts";
import { notifyService } from "./notify_service.ts";
import { createPlatformLog } from "./platform_log.ts";
import { addSettingFlags, COMMON_FLAGS, readServeSettings } from "./setting_flags.ts";
import { readPlatformOptions, startOn } from "./start_on.ts";

type Platform = Awaited<ReturnType<typeof startOn>>;

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * Stores the new key if a user is at a terminal, so the next command finds it. If the credentials
 * file cannot be written, continues without storing the key.
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
    ctx.ui.log("auth", "warn", `The key was not stored: ${reason}`);
  }
}

/**
 * Reports values that are known only once the platform runs, for the program that starts it: the
 * ports in use, and the owner's link.
 */
function reportToPrograms(ctx: Context, host: string, platform: Platform): void {
  const { port, httpsPort, ownerLink } = platform;
  const authority = host.includes(":") ? `[${host}]` : host;
  const secure = httpsPort === undefined ? "" : ` and https://${authority}:${httpsPort}`;
  ctx.ui.debug("deploy", `Listening on http://${authority}:${port}${secure}`);
  if (ownerLink !== undefined) ctx.ui.debug("auth", `Owner's link, which works once: ${ownerLink}`);
}

function announce(
  ctx: Context,
  platform: Platform,
  { dataDir, isStructured }: { readonly dataDir: string; readonly isStructured: boolean },
): void {
  const { url, ownerLink } = platform;
  const { colors } = ctx.ui;
  const isKept = printsToJournal(ctx.env);
  const token = isKept ? undefined : platform.token;
  // A key set by the operator must not appear in a log.
  const minted = ctx.env.SVC_BOOTSTRAP_TOKEN ? undefined : token;
  if (isStructured) {
    createPlatformLog(ctx, "json")({ level: "info", message: `Platform ready at ${url}` });
    const facts = JSON.stringify({ url, token: minted, ownerLink });
    return ctx.ui.result({ url, token }, facts);
  }
  ctx.ui.done("deploy", `Platform ready at ${colors.bold(url)}`);
  ctx.ui.note(formatFacts([["  data", dataDir], ["  owner", ownerLink], ["  key", minted]]));
  if (ownerLink !== undefined) {
    ctx.ui.note("Open the owner's link to set your email and password. It works once");
  }
  if (minted !== undefined) {
    ctx.ui.note(
      `Copy the key now. You won't see it again: export SVC_API_URL=${url} SVC_TOKEN=${minted}`,
    );
  }
  if (isKept && platform.token !== undefined && !ctx.env.SVC_BOOTSTRAP_TOKEN) {
    ctx.ui.note("The first key is not logged. Sign in and run svc keys create");
  }
  ctx.ui.note(colors.dim("Press Ctrl-C to stop"));
  ctx.ui.result({ url, token }, url);
}

function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

export default defineCommand({
  description:
    "In an empty data directory, it creates the workspace `default`, an owner and one key: the value of SVC_BOOTSTRAP_TOKEN, or a random key that is printed once. It runs until SIGINT or SIGTERM, finishes requests in progress, and exits with code 0. Each setting has a flag, a variable (SVC_SERVE_PORT for --port) and a key in the --config file (port), in this order of precedence. --print-config prints such a file.",
  define: (command) => addSettingFlags(command),
  common: COMMON_FLAGS,
  examples: [
    ["serve", "run a platform on http://localhost:8787"],
    ["serve --port 9000 --data-dir ./data", "keep the data in ./data"],
    ["serve --config /etc/svc/serve.toml", "read settings from a file"],
    ["serve --print-config --port 9000", "print a settings file"],
    ["serve --replace --background", "replace a running platform without dropping requests"],
    ["serve --install --dry-run", "print the system service"],
    ["serve --json", 'print {"url","token"} when ready, for scripts'],
  ],
  async run({ flags }, ctx) {
    if (flags.dryRun === true && flags.install !== true) {
      throw new CliError("usage", "--dry-run needs --install");
    }
    const settings = await readServeSettings(ctx, flags);
    if (flags.printConfig === true) {
      const config = printSettings(settings);
      return ctx.ui.result({ config }, config.trimEnd());
    }
    if (flags.install === true) {
      const { installService } = await import("./install_service.ts");
      return await installService(ctx, settings, flags.dryRun === true);
    }
    if (flags.background === true) {
      const { serveInBackground } = await import("./serve_background.ts");
      return await serveInBackground(ctx);
    }
    const options = await readPlatformOptions(ctx, settings);
    const { host, dataDir, logFormat } = options;
    if (!LOOPBACK.has(host) && options.tls === undefined) {
      const message =
        `Other machines can connect without TLS, because the platform listens on ${host}`;
      options.log({ level: "warn", message });
    }
    const platform = await startOn(options);
    try {
      reportToPrograms(ctx, host, platform);
      announce(ctx, platform, { dataDir, isStructured: logFormat === "json" });
      await keepToken(ctx, platform);
      await notifyService(ctx.env);
      const left = untilStopped(ctx.signal).then(() => platform.leave());
      await Promise.race([left, platform.finished]);
    } finally {
      const message = "Stopping: finishing the requests in progress";
      options.log({ level: "info", message });
      await platform.shutdown();
    }
  },
});
