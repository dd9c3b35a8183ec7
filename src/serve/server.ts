/**
 * The platform put together: stores, services, API and edge behind the
 * listeners. A request goes to the API or to the edge by its host name.
 *
 * @module
 */
import { createEdge, createHttpCache, type HttpCache, loadGeo } from "../edge/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { keepDescriptors } from "../lib/descriptors.ts";
import { createOutboundFetch, type Outbound, probeSandbox } from "../runtime/mod.ts";
import { bootstrapAccounts } from "../platform/accounts/bootstrap.ts";
import { issueOwnerLink } from "../platform/accounts/owner_link.ts";
import { buildApi } from "./api.ts";
import { type BuildSettings, hiddenPlaces } from "../platform/builds/build_settings.ts";
import { openBuilds } from "../platform/builds/open_builds.ts";
import { Closers } from "./closers.ts";
import {
  judgeServerSandbox,
  sandboxWarning,
  type ServerSandbox,
} from "../platform/compute/server_sandbox.ts";
import { Addresses } from "../platform/core/addresses.ts";
import { readDomainOptions } from "../platform/domains/domain_settings.ts";
import { startHousekeeping, watchUploads } from "./housekeeping.ts";
import { clientFinder } from "../platform/core/http/client.ts";
import { createHostDispatch } from "../platform/core/http/host_dispatch.ts";
import { apiHosts } from "../platform/core/http/hostname.ts";
import { requestIds } from "../platform/core/http/request_id.ts";
import { type Listeners, openListeners } from "./listeners.ts";
import { createMailer, type Mailer } from "../platform/notifications/channels/email/mailer.ts";
import type { PlatformOptions, RunningPlatform } from "./options.ts";
import { warnOfNetworks } from "../platform/rules/warn_of_networks.ts";
import { openKeyRing } from "../platform/core/secrets/key_ring.ts";
import { SecretBox } from "../platform/core/secrets/secret_box.ts";
import { createServices, type Services } from "./services.ts";
import { checkWhole } from "../platform/core/store/check_whole.ts";
import { openDataDir } from "../platform/core/store/data_dir.ts";
import { openFsBlobVault } from "../platform/core/store/fs_blob_vault.ts";
import { openPlatformKv } from "../platform/core/store/open_kv.ts";
import { DEFAULT_HTTPS_PORT } from "../platform/certificates/secure_listener.ts";

/** The address that people use: HTTPS where the platform has a certificate for all its hosts. */
function publicBase(options: PlatformOptions, { port, httpsPort }: Listeners): URL {
  const own = options.tls !== undefined && httpsPort !== undefined
    ? `https://${options.baseDomain}:${httpsPort}`
    : `http://${options.baseDomain}:${port}`;
  return new URL(options.publicUrl ?? own);
}

/** @throws {TypeError} where the settings of mail can not be used. */
function openMailer({ mail }: PlatformOptions, base: URL): Mailer | undefined {
  if (mail === undefined) return undefined;
  return createMailer({ smtpUrl: mail.smtpUrl, from: mail.from ?? `svc@${base.hostname}` });
}

interface Reach {
  readonly cache: HttpCache;
  readonly outbound: Outbound;
  readonly base: URL;
}

/** Builds that run at the same time: each may keep two processors busy. */
const defaultConcurrency = () => Math.max(1, Math.floor(navigator.hardwareConcurrency / 2));

function buildSettings(options: PlatformOptions): BuildSettings {
  return { allowUnsandboxed: false, ...options.builds, hidden: hiddenPlaces(options) };
}

/** Looks whether servers may run, and says where they may not. */
function serverSandbox({ servers, log }: PlatformOptions): ServerSandbox {
  const support = servers?.support ?? probeSandbox();
  const sandbox = judgeServerSandbox({
    support,
    allowUnsandboxed: servers?.allowUnsandboxed ?? false,
  });
  const warning = sandboxWarning(sandbox);
  if (warning !== undefined) log({ level: "warn", message: warning });
  return sandbox;
}

/** Opens the data directory and builds the services over it. */
async function openServices(
  options: PlatformOptions,
  closers: Closers,
  { listeners, reach }: { readonly listeners: Listeners; readonly reach: Reach },
): Promise<Services> {
  const { base } = reach;
  const dataDir = await openDataDir(options.dataDir);
  closers.add({ close: () => dataDir.release() });
  const places = { kv: options.kv ?? dataDir.kv, blobs: options.blobs ?? dataDir.blobs };
  const { kv, readOnly } = closers.add(await openPlatformKv(places.kv));
  const vault = await openFsBlobVault(places.blobs, {
    onDamaged: (message) => options.log({ level: "error", message }),
  });
  await checkWhole({ kv, dataDir }, places);
  if (readOnly !== undefined) {
    const message = `The key-value store ${places.kv} cannot be written: ${readOnly}. Sites are ` +
      "served, and nothing can be changed, until the platform is started with room on its disk";
    options.log({ level: "error", message });
  }
  const services = createServices({
    kv,
    readOnly: readOnly !== undefined,
    dataDir,
    vault,
    box: new SecretBox(await openKeyRing(dataDir.keys, systemRandom), systemRandom),
    addresses: new Addresses({
      protocol: base.protocol === "https:" ? "https:" : "http:",
      domain: options.baseDomain,
      port: base.port,
    }),
    domains: await readDomainOptions(options, {
      publicHost: base.hostname,
      onIssued: (hostname) => listeners.certificateChanged(hostname),
    }),
    cache: reach.cache,
    outbound: reach.outbound.fetch,
    allowPrivate: options.allowPrivateUpstreams ?? false,
    maxServers: options.maxServers,
    serverSockets: options.serverSockets,
    maxFunctionProcesses: options.maxFunctionProcesses,
    serverSandbox: serverSandbox(options),
    env: options.env,
    publicOrigin: base.origin,
    mailer: openMailer(options, base),
    bot: options.bot,
    openBuilds: (parts) =>
      (options.openBuilds ?? openBuilds)({
        ...parts,
        env: options.env,
        allowPrivate: options.allowPrivateUpstreams ?? false,
        gitRoots: options.gitRoots ?? [],
        settings: buildSettings(options),
      }),
    buildConcurrency: options.buildConcurrency ?? defaultConcurrency(),
    resolveMs: options.resolveMs,
    log: options.log,
  });
  const { logs, inboxes, events, useNotes, functionService, computeService, healthMonitor } =
    services;
  for (
    const part of [logs, inboxes, events, useNotes, functionService, computeService, healthMonitor]
  ) {
    closers.add(part);
  }
  return services;
}

/** Builds API and edge, and the front that chooses between them. */
async function buildFront(
  options: PlatformOptions,
  services: Services,
  parts: { readonly listeners: Listeners; readonly reach: Reach; readonly closing: AbortSignal },
) {
  const { reach, listeners } = parts;
  const requestId = requestIds(systemRandom);
  const api = buildApi(services, {
    knowsNetworks: knowsNetworks(options),
    version: options.version,
    url: reach.base.origin,
    closing: parts.closing,
    requestId,
    onFault: (id, cause) => logFault(options, id, cause),
  });
  const geo = await loadGeo({ geoip: options.geoip, asn: options.asn }, {
    warn: (message) => options.log({ level: "warn", message }),
  });
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
    cache: reach.cache,
    outbound: reach.outbound.fetch,
    trustProxy: options.trustProxy,
    onError: (cause, id) => logFault(options, id, cause),
    ...geo,
  });
  return createHostDispatch({
    isApi: apiHosts([options.baseDomain, reach.base.hostname, options.host, "localhost"]),
    api: (request, remoteAddress) => api.fetch(request, clientOf(request, remoteAddress)),
    edge,
    hosts: services.domainService.hosts,
    challenges: services.challenges,
    ...(listeners.httpsPort === DEFAULT_HTTPS_PORT
      ? { wantsHttps: (hostname) => services.certificates?.find(hostname) !== undefined }
      : {}),
  });
}

/** Starts what an earlier process has left to do: deliveries and builds. */
async function startWork(services: Services, closers: Closers): Promise<void> {
  closers.add({ close: () => services.closeDelivery() });
  await services.startDelivery();
  await services.openedBuilds.recover?.();
  closers.add(services.openedBuilds);
  closers.add(services.buildQueue);
  await services.buildQueue.start();
}

/** Starts what goes on while requests are answered: renewals of certificates, housekeeping. */
function startUpkeep(options: PlatformOptions, services: Services, closers: Closers): void {
  services.certificates?.start();
  closers.add({ close: () => services.certificates?.close() });
  closers.add({ close: startHousekeeping(services, options) });
  closers.add({ close: watchUploads(services, options) });
}

/**
 * Starts a platform on its data directory.
 *
 * @throws {DataDirInUseError} when another platform serves from it.
 * @throws {Deno.errors.AddrInUse} when a port is taken.
 */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  keepDescriptors();
  const listeners = await openListeners(options);
  const closers = new Closers();
  const closing = new AbortController();
  /** Requests first: what is under way needs everything else. */
  const shutdown = async () => {
    closing.abort();
    await listeners.close();
    await closers.close();
  };
  try {
    const base = publicBase(options, listeners);
    const outbound = closers.add(
      createOutboundFetch({
        allowPrivate: options.allowPrivateUpstreams ?? false,
        ...(options.upstreamCa === undefined ? {} : { caCerts: options.upstreamCa }),
        ...options.upstreamTimes,
      }),
    );
    const cache = createHttpCache({
      now: systemClock,
      onError: (cause) => options.log({ level: "warn", message: `Can not refresh: ${cause}` }),
    });
    const reach: Reach = { cache, outbound, base };
    const services = await openServices(options, closers, { listeners, reach });
    const token = await bootstrapAccounts({
      store: services.accounts,
      now: systemClock,
      random: systemRandom,
      ...(options.bootstrapToken === undefined ? {} : { token: options.bootstrapToken }),
    });
    const ownerPath = services.readOnly ? undefined : await issueOwnerLink(services);
    await services.recover();
    const front = await buildFront(options, services, {
      listeners,
      reach,
      closing: closing.signal,
    });
    if (!services.readOnly) await startWork(services, closers);
    listeners.open(front, services.certificates);
    if (!services.readOnly) startUpkeep(options, services, closers);
    if (!knowsNetworks(options)) {
      const looked = warnOfNetworks({
        projects: () => services.projects.all(),
        rulesOf: (project) => services.rulesService.inEffect(project),
        log: options.log,
        signal: closing.signal,
      }).catch((cause) =>
        options.log({ level: "warn", message: `Cannot look at rules: ${cause}` })
      );
      closers.add({ close: () => looked });
    }
    return {
      url: base.origin,
      port: listeners.port,
      httpsPort: listeners.httpsPort,
      token,
      ownerLink: ownerPath === undefined ? undefined : `${base.origin}${ownerPath}`,
      shutdown,
      finished: listeners.finished,
    };
  } catch (error) {
    await shutdown();
    throw error;
  }
}

/** Whether the edge can find the network of an address: by a database, or a proxy's word. */
function knowsNetworks({ asn, trustProxy }: PlatformOptions): boolean {
  return asn !== undefined || trustProxy.length > 0;
}

/** Tells the log why a request failed; its id is what the client was told. */
function logFault(options: PlatformOptions, requestId: string, cause: unknown): void {
  const reason = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  options.log({ level: "error", message: `Request ${requestId} failed: ${reason}` });
}
