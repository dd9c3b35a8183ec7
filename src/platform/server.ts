/**
 * The platform put together: stores, services, API and edge behind one
 * listener. A request goes to the API or to the edge by its host name.
 *
 * @module
 */
import { createEdge, loadGeo } from "../edge/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { bootstrapAccounts } from "./accounts/bootstrap.ts";
import { buildApi } from "./api.ts";
import { Addresses } from "./deployments/addresses.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { apiHosts, hostnameOf } from "./http/hostname.ts";
import { requestIds } from "./http/request_id.ts";
import type { PlatformOptions, RunningPlatform } from "./options.ts";
import { openKeyRing } from "./secrets/key_ring.ts";
import { SecretBox } from "./secrets/secret_box.ts";
import { createServices } from "./services.ts";
import { openDataDir } from "./store/data_dir.ts";
import { openFsBlobVault } from "./store/fs_blob_vault.ts";

/** Requests under way get this long to finish when the platform stops. */
const DRAIN_MS = 10_000;

type Handler = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Response | Promise<Response>;

const starting: Handler = () =>
  new Response("The platform is starting\n", { status: 503, headers: { "retry-after": "1" } });

function publicBase(options: PlatformOptions, port: number): URL {
  return new URL(options.publicUrl ?? `http://${options.baseDomain}:${port}`);
}

/**
 * Starts a platform on its data directory.
 *
 * @throws {DataDirInUseError} when another platform serves from it.
 * @throws {Deno.errors.AddrInUse} when the port is taken.
 */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const dataDir = await openDataDir(options.dataDir);
  const open: { close(): void | Promise<void> }[] = [{ close: () => dataDir.release() }];
  const closeAll = async () => {
    for (const part of open.reverse()) await part.close();
  };
  try {
    const kv = await Deno.openKv(options.kv ?? dataDir.kv);
    open.push(kv);
    const vault = await openFsBlobVault(options.blobs ?? dataDir.blobs);
    let handler = starting;
    const closing = new AbortController();
    const server = Deno.serve({
      hostname: options.host,
      port: options.port,
      onListen: () => {},
    }, (request, info) => handler(request, info));
    open.push({ close: () => drain(server) });
    const base = publicBase(options, server.addr.port);
    const addresses = new Addresses({
      protocol: base.protocol === "https:" ? "https:" : "http:",
      domain: options.baseDomain,
      port: base.port,
    });
    const box = new SecretBox(await openKeyRing(dataDir.keys, systemRandom), systemRandom);
    const services = createServices({ kv, vault, dataDir, addresses, box, log: options.log });
    open.splice(-1, 0, services.logs);
    const token = await bootstrapAccounts({
      store: services.accounts,
      now: systemClock,
      random: systemRandom,
      ...(options.bootstrapToken === undefined ? {} : { token: options.bootstrapToken }),
    });
    await services.recover();
    const url = base.origin;
    const requestId = requestIds(systemRandom);
    const api = buildApi(services, {
      version: options.version,
      url,
      closing: closing.signal,
      requestId,
      onFault: (id, cause) => logFault(options, id, cause),
    });
    const edge = createEdge({
      resolveHost: (hostname) => services.sites.resolve(hostname),
      record: services.logs.record,
      now: systemClock,
      random: systemRandom,
      requestId,
      trustProxy: options.trustProxy,
      onError: (cause, id) => logFault(options, id, cause),
      ...(await loadGeo({ geoip: options.geoip, asn: options.asn })),
    });
    const isApi = apiHosts([options.baseDomain, base.hostname, options.host, "localhost"]);
    handler = (request, info) =>
      isApi(hostnameOf(request.url))
        ? api.fetch(request)
        : edge(request, { remoteAddress: info.remoteAddr.hostname });
    const stopHousekeeping = startHousekeeping(services, options.log);
    open.push({ close: stopHousekeeping });
    let ending: Promise<void> | undefined;
    return {
      url,
      port: server.addr.port,
      token,
      shutdown: () => {
        closing.abort();
        return ending ??= closeAll();
      },
      finished: server.finished,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Tells the log why a request failed; its id is what the client was told. */
function logFault(options: PlatformOptions, requestId: string, cause: unknown): void {
  const reason = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  options.log({ level: "error", message: `Request ${requestId} failed: ${reason}` });
}

/** Stops accepting, lets requests under way finish, and cuts off those that do not. */
async function drain(server: Deno.HttpServer): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<void>((resolve) => timer = setTimeout(resolve, DRAIN_MS));
  await Promise.race([server.shutdown(), deadline]);
  clearTimeout(timer);
}
