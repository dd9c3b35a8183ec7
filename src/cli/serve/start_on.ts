/** @module Starts a platform from the flags of `serve`. */
import { GeoFileError } from "../../edge/mod.ts";
import type { PlatformOptions, RunningPlatform } from "../../serve/mod.ts";
import { systemClock, systemRandom } from "../../lib/clock.ts";
import { shortId } from "../../lib/ids.ts";
import { completeSettings, type Settings } from "../../settings/mod.ts";
import { CliError } from "../errors/cli_error.ts";
import { readCertificates } from "../session/certificates.ts";
import type { Context } from "../session/context.ts";
import { VERSION } from "../version.ts";
import { createPlatformLog } from "./platform_log.ts";
import type { ServeSettings } from "./setting_flags.ts";

/**
 * Adds defaults to the given settings, and everything else that the platform needs from this
 * process.
 *
 * @throws {CliError} if the certificate file cannot be used.
 */
export async function readPlatformOptions(ctx: Context, { given, configFile }: ServeSettings) {
  const settings = completeSettings(given);
  const { upstreamCaFile, logFormat } = settings;
  return {
    ...settings,
    upstreamCa: upstreamCaFile === undefined ? undefined : await readCertificates(upstreamCaFile),
    configFile,
    env: ctx.env,
    version: VERSION,
    log: createPlatformLog(ctx, logFormat),
  } satisfies PlatformOptions;
}

/**
 * Starts a platform.
 *
 * @throws {CliError} if a port or the data directory is taken, or certificates cannot be used.
 */
export async function startOn(
  options: Awaited<ReturnType<typeof readPlatformOptions>>,
): Promise<RunningPlatform> {
  const platform = await import("../../serve/mod.ts");
  const unhandledErrors = new platform.UnhandledErrors({
    log: options.log,
    now: systemClock,
    newId: () => shortId(systemRandom),
  });
  unhandledErrors.listen();
  try {
    return await platform.startPlatform({ ...options, unhandledErrors });
  } catch (cause) {
    throw explain(cause, platform, options);
  }
}

/** Suggests a fix for a platform that fails to start. */
function explain(
  cause: unknown,
  platform: typeof import("../../serve/mod.ts"),
  { host, port, httpsPort, tls, acme, https }: PlatformOptions & Settings,
): unknown {
  if (cause instanceof platform.DataDirInUseError) {
    return new CliError("data_dir_in_use", cause.message, { cause });
  }
  if (cause instanceof Deno.errors.AddrInUse) {
    const isSecure = tls !== undefined || acme !== undefined || https === true;
    const ports = isSecure ? `${port} or ${httpsPort}` : `${port}`;
    return new CliError("port_in_use", `${host}:${ports} is in use`, {
      hint: isSecure
        ? "Choose other ports with svc serve --port and --https-port. Port 0 uses any free port"
        : "Choose another port with svc serve --port <port>. Port 0 uses any free port",
      cause,
    });
  }
  if (cause instanceof platform.HandoverError) {
    return new CliError("not_replaced", cause.message, { cause });
  }
  if (cause instanceof platform.DataDirUnusableError) {
    return new CliError("data_dir_unusable", cause.message, { cause });
  }
  if (cause instanceof platform.DataNewerError) {
    return new CliError("data_newer", cause.message, { cause });
  }
  if (cause instanceof platform.DataNotMigratedError) {
    return new CliError("data_not_migrated", cause.message, { cause });
  }
  if (cause instanceof platform.DataIncompleteError) {
    return new CliError("data_incomplete", cause.message, { cause });
  }
  if (cause instanceof platform.StoreUnusableError) {
    return new CliError("store_unusable", cause.message, { cause });
  }
  if (cause instanceof platform.NodeIdInUseError) {
    return new CliError("node_id_in_use", cause.message, { cause });
  }
  if (cause instanceof platform.NodeFileError) {
    return new CliError("data_dir_unusable", cause.message, { cause });
  }
  if (cause instanceof platform.KeyFileError) {
    return new CliError("keys_unusable", cause.message, { cause });
  }
  if (cause instanceof GeoFileError) {
    return new CliError("file_unusable", cause.message, { cause });
  }
  if (cause instanceof platform.DnsListenError) {
    return new CliError(cause.isInUse ? "port_in_use" : "not_listening", cause.message, {
      hint: cause.isInUse
        ? "systemd-resolved uses port 53 on 127.0.0.53: set --dns-host to one address of this " +
          "machine, or choose another --dns-port"
        : "--dns-host must be one of this machine's addresses. Port 53 needs root or the capability " +
          "CAP_NET_BIND_SERVICE",
      cause,
    });
  }
  if (cause instanceof platform.ListenError) {
    return new CliError("not_listening", cause.message, {
      hint:
        "--host must be one of this machine's addresses. Ports below 1024 may need more privileges",
      cause,
    });
  }
  const isUnusable = cause instanceof platform.CertificateFileError ||
    cause instanceof platform.ConnectionsUnsupportedError || cause instanceof TypeError;
  return isUnusable ? new CliError("usage", cause.message, { cause }) : cause;
}
