/**
 * The platform put together: stores, services, API and edge behind one
 * listener. A request goes to the API or to the edge by its host name.
 *
 * @module
 */
import { createEdge, createHttpCache, loadGeo } from "../edge/mod.ts";
import { createOutboundFetch } from "../runtime/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { bootstrapAccounts } from "./accounts/bootstrap.ts";
import { issueOwnerLink } from "./accounts/owner_link.ts";
import { buildApi } from "./api.ts";
import { Addresses } from "./deployments/addresses.ts";
import { readDomainOptions } from "./domains/domain_settings.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { createFront } from "./http/front.ts";
import { clientFinder } from "./http/client.ts";
import { apiHosts } from "./http/hostname.ts";
import { requestIds } from "./http/request_id.ts";
import type { PlatformOptions, RunningPlatform } from "./options.ts";
import { openKeyRing } from "./secrets/key_ring.ts";
import { SecretBox } from "./secrets/secret_box.ts";
import { createServices } from "./services.ts";
import { openDataDir } from "./store/data_dir.ts";
import { openFsBlobVault } from "./store/fs_blob_vault.ts";
import type { CertificateService } from "./tls/certificate_service.ts";
import { DEFAULT_HTTPS_PORT, openSecureListener } from "./tls/secure_listener.ts";

/** Requests under way get this long to finish when the platform stops. */
const DRAIN_MS = 10_000;

type Handler = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Response | Promise<Response>;

const starting: Handler = () =>
  new Response("The platform is starting\n", { status: 503, headers: { "retry-after": "1" } });

/** The address that people use: HTTPS where the platform has a certificate for all its hosts. */
function publicBase(
  options: PlatformOptions,
  ports: { readonly http: number; readonly https: number | undefined },
): URL {
  const own = options.tls !== undefined && ports.https !== undefined
    ? `https://${options.baseDomain}:${ports.https}`
    : `http://${options.baseDomain}:${ports.http}`;
  return new URL(options.publicUrl ?? own);
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
    let secureHandler = starting;
    let findCertificates: () => CertificateService | undefined = () => undefined;
    const secure = options.tls === undefined && options.acme === undefined
      ? undefined
      : await openSecureListener({
        hostname: options.host,
        port: options.httpsPort ?? DEFAULT_HTTPS_PORT,
        handler: (request, info) => secureHandler(request, info),
        files: options.tls,
        ordered: options.acme === undefined ? undefined : () => findCertificates(),
        now: systemClock,
        log: options.log,
      });
    if (secure !== undefined) open.push({ close: () => drain(secure) });
    const base = publicBase(options, { http: server.addr.port, https: secure?.port });
    const addresses = new Addresses({
      protocol: base.protocol === "https:" ? "https:" : "http:",
      domain: options.baseDomain,
      port: base.port,
    });
    const box = new SecretBox(await openKeyRing(dataDir.keys, systemRandom), systemRandom);
    const domains = await readDomainOptions(options, {
      publicHost: base.hostname,
      onIssued: (hostname) => secure?.changed(hostname),
    });
    const outbound = createOutboundFetch({ allowPrivate: options.allowPrivateUpstreams ?? false });
    open.push({ close: () => outbound.close() });
    const cache = createHttpCache({
      now: systemClock,
      onError: (cause) => options.log({ level: "warn", message: `Can not refresh: ${cause}` }),
    });
    const services = createServices({
      ...{ kv, vault, dataDir, addresses, box, cache, domains },
      outbound: outbound.fetch,
      publicOrigin: base.origin,
      log: options.log,
    });
    findCertificates = () => services.certificates;
    open.splice(2, 0, services.logs, services.useNotes, services.functionService);
    const token = await bootstrapAccounts({
      store: services.accounts,
      now: systemClock,
      random: systemRandom,
      ...(options.bootstrapToken === undefined ? {} : { token: options.bootstrapToken }),
    });
    const ownerPath = await issueOwnerLink(services);
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
    const geo = await loadGeo({ geoip: options.geoip, asn: options.asn });
    const clientOf = clientFinder({
      trustProxy: options.trustProxy,
      country: (address) => geo.geo.country(address),
    });
    const edge = createEdge({
      resolveHost: (hostname) =>
        services.sites.resolve(hostname) ?? services.domainService.resolve(hostname),
      record: services.logs.record,
      now: systemClock,
      random: systemRandom,
      requestId,
      cache,
      outbound: outbound.fetch,
      trustProxy: options.trustProxy,
      onError: (cause, id) => logFault(options, id, cause),
      ...geo,
    });
    const isApi = apiHosts([options.baseDomain, base.hostname, options.host, "localhost"]);
    const front = createFront({
      isApi,
      api: (request, remoteAddress) => api.fetch(request, clientOf(request, remoteAddress)),
      edge: (request, remoteAddress) => edge(request, { remoteAddress }),
      hosts: services.domainService.hosts,
      challenges: services.challenges,
      wantsHttps: (hostname) =>
        secure?.port === DEFAULT_HTTPS_PORT && services.certificates?.find(hostname) !== undefined,
    });
    [handler, secureHandler] = [front.http, front.https];
    services.certificates?.start();
    open.push({ close: () => services.certificates?.close() });
    const stopHousekeeping = startHousekeeping(services, options.log);
    open.push({ close: stopHousekeeping });
    let ending: Promise<void> | undefined;
    return {
      url,
      port: server.addr.port,
      httpsPort: secure?.port,
      token,
      ownerLink: ownerPath === undefined ? undefined : `${url}${ownerPath}`,
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
async function drain(server: { shutdown(): Promise<void> }): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<void>((resolve) => timer = setTimeout(resolve, DRAIN_MS));
  await Promise.race([server.shutdown(), deadline]);
  clearTimeout(timer);
}
