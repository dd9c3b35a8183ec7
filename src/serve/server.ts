/** Starts the platform: its ports, data directory, capabilities and request handlers. @module */
import { setTimeout as delay } from "node:timers/promises";
import { createHttpCache, type LoadedGeo, loadGeo } from "../edge/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { forgiveClosedSocketReads } from "../lib/closed_socket_reads.ts";
import { openControlGroups } from "../lib/control_groups.ts";
import { keepDescriptors } from "../lib/descriptors.ts";
import { machineMemory } from "../lib/machine_memory.ts";
import { outboundOptions } from "./outbound.ts";
import { createOutboundFetch, type LocalRoute, probeSandbox } from "../runtime/mod.ts";
import { bootstrapAccounts, issueOwnerLink } from "../platform/accounts/mod.ts";
import { hiddenPlaces } from "../platform/builds/mod.ts";
import { judgeServerSandbox, sandboxWarning, type ServerSandbox } from "../platform/compute/mod.ts";
import { nodeUrlOf } from "../platform/core/peers/mod.ts";
import {
  type DomainSetup,
  ordersCertificates,
  readDomainOptions,
} from "../platform/domains/mod.ts";
import { createMailer, type Mailer } from "../platform/notifications/mod.ts";
import { type CacheSizes, completeCacheSizes } from "./cache_sizes.ts";
import { Closers } from "./closers.ts";
import { compose } from "./compose.ts";
import { countNodes } from "./count_nodes.ts";
import { createHandlers, type HostOverride } from "./handlers.ts";
import { RunningRequests } from "./handover/running_requests.ts";
import { Takeover } from "./handover/take_over.ts";
import { startCapabilities, startUpkeep } from "./lifecycle.ts";
import { followStore } from "./follow_store.ts";
import { type Listeners, type ListenOptions, openListeners } from "./listeners.ts";
import type { LocalEdges } from "./local_edges/local_edges.ts";
import { edgeCount, openLocalEdges } from "./local_edges/open_local_edges.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import { FollowedLog, type FollowLog } from "../platform/core/log.ts";
import { openFoundation } from "./open_foundation.ts";
import { completeSettings } from "../settings/mod.ts";
import type { CompleteOptions, PlatformOptions, RunningPlatform } from "./options.ts";
import { readKnownMark } from "./settle_format.ts";
import { Succession } from "./succession.ts";

/** Returns the platform's public URL, which uses HTTPS if there is a certificate for all hosts. */
function publicBase(options: CompleteOptions, { port, httpsPort }: Listeners): URL {
  const isSecure = options.tls !== undefined || options.https === true;
  const own = isSecure && httpsPort !== undefined
    ? `https://${options.baseDomain}:${httpsPort}`
    : `http://${options.baseDomain}:${port}`;
  return new URL(options.publicUrl ?? own);
}

/** @throws {TypeError} if the mail settings cannot be used. */
function openMailer({ mail }: CompleteOptions, base: URL): Mailer | undefined {
  if (mail === undefined) return undefined;
  return createMailer({ smtpUrl: mail.smtpUrl, from: mail.from ?? `svc@${base.hostname}` });
}

/** Decides whether deployment servers can run here, and logs a warning if they cannot. */
function serverSandbox({ servers, log }: CompleteOptions): ServerSandbox {
  const { support = probeSandbox(), allowUnsandboxed } = servers;
  const sandbox = judgeServerSandbox({ support, allowUnsandboxed });
  const warning = sandboxWarning(sandbox);
  if (warning !== undefined) log({ level: "warn", message: warning });
  return sandbox;
}

function listenOptions(options: CompleteOptions, takesOver: boolean): ListenOptions {
  const { host, port, httpsPort, connections, trustProxy, tls } = options;
  return {
    host,
    port,
    httpsPort,
    connections,
    trustProxy,
    tls,
    takesOver,
    hasEdges: edgeCount(options) > 0,
    ordersCertificates: ordersCertificates(options),
  };
}

/** Returns the listeners' own URLs, regardless of proxies. */
function ownAddresses({ host }: CompleteOptions, { port, httpsPort }: Listeners): string[] {
  const authority = host.includes(":") ? `[${host}]` : host;
  const secure = httpsPort === undefined ? [] : [`https://${authority}:${httpsPort}`];
  return [`http://${authority}:${port}`, ...secure];
}

/** Returns the routes from servers to the platform's ports through the loopback address. */
function localRoutes(base: URL, { port, httpsPort, own }: Listeners): readonly LocalRoute[] {
  const secure = httpsPort === undefined ? undefined : own.routeOf(httpsPort, "https");
  const plain = new Set([port, ...base.protocol === "http:" ? [Number(base.port || 80)] : []]);
  const routes = [secure, ...[...plain].map((each) => own.routeOf(each, "http"))];
  return routes.filter((route) => route !== undefined);
}

/** Whether the edge can find the network of an IP address, from a database or a trusted proxy. */
function edgeKnowsNetworks({ asn, trustProxy }: CompleteOptions): boolean {
  return asn !== undefined || trustProxy.length > 0;
}

/**
 * How long to continue to serve after reporting that the node is not ready, in milliseconds. This
 * is long enough for a load balancer that checks every second and acts after two failed checks.
 */
const LEAVE_MS = 3000;

/**
 * Asks the running platform to hand over, after checking for problems that would otherwise only
 * appear later.
 */
async function beginTakeover({ replace, dataDir }: CompleteOptions): Promise<Takeover | undefined> {
  if (replace !== true) return undefined;
  await readKnownMark(dataDir);
  return await Takeover.begin(dataDir);
}

/** @throws {DataDirInUseError | HandoverError | Deno.errors.AddrInUse} */
export async function startPlatform(incomplete: PlatformOptions): Promise<RunningPlatform> {
  const ownLog = new FollowedLog(incomplete.log);
  const given: CompleteOptions = completeSettings({ ...incomplete, log: ownLog.write });
  keepDescriptors();
  await openControlGroups();
  forgiveClosedSocketReads();
  const sizes = completeCacheSizes(given.caches, machineMemory());
  const geo = await loadGeo(
    { geoip: given.geoip, asn: given.asn },
    { warn: (message) => given.log({ level: "warn", message }) },
  );
  const takeover = await beginTakeover(given);
  const options = takeover?.portsFor(given) ?? given;
  const listeners = await openListeners(
    listenOptions(options, takeover !== undefined),
    options.log,
  ).catch((error) => {
    takeover?.abandon();
    throw error;
  });
  const showing: HostOverride = { hostname: undefined };
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let isStopping = false;
  let term = newTerm();
  const start = async (before: Takeover | undefined, isResumed: boolean) => {
    const { closers, closing, leaving, beside } = term;
    const succession = new Succession({
      takeover: before,
      listeners,
      options,
      resume,
      onFailure: failed.reject,
      ...term,
    });
    term.succession = succession;
    const prepared = await prepare(options, listeners, closers);
    await succession.arrive();
    return await startBehind(listeners, {
      options,
      prepared,
      sizes,
      geo,
      followLog: ownLog.follow,
      showing,
      succession,
      isResumed,
      closers,
      running: term.running,
      closing: closing.signal,
      leaving,
      beside,
    });
  };
  const resume = async () => {
    if (isStopping) throw new Error("The platform is stopping");
    term = newTerm();
    return (await start(undefined, true)).handlers;
  };
  const leave = async () => {
    const { closing, leaving, beside } = term;
    if (await leaving.countNodes() < 2) return;
    leaving.hasBegun = true;
    beside.edges?.leave();
    await listeners.leave();
    await delay(LEAVE_MS, undefined, { signal: closing.signal }).catch(() => {});
  };
  /** Waits for requests first, because they need all other parts. */
  const shutdown = async () => {
    isStopping = true;
    const { closing, succession, closers, beside } = term;
    // Once the edges have stopped, this process receives all new connections.
    await beside.edges?.stop();
    closing.abort();
    // The edges' streams are now closed. The edges relay their remaining requests until all are
    // finished.
    await beside.edges?.close();
    await succession?.end();
    await listeners.close();
    await closers.close();
  };
  try {
    const { handlers: _, ...started } = await start(takeover, false);
    const { port, httpsPort } = listeners;
    const finished = Promise.race([listeners.finished, failed.promise]);
    const showOnly = (hostname: string) => void (showing.hostname = hostname);
    return { ...started, port, httpsPort, showOnly, leave, shutdown, finished };
  } catch (error) {
    await shutdown();
    throw error;
  }
}

/** State of a node that is leaving its load balancer. */
interface Leaving {
  hasBegun: boolean;
  countNodes: () => Promise<number>;
}

/** Resources that are needed from startup until the data directory is released. */
interface Term {
  readonly closers: Closers;
  readonly closing: AbortController;
  readonly leaving: Leaving;
  readonly running: RunningRequests;
  readonly beside: Beside;
  succession?: Succession;
}

/** The edges that share the platform's port; missing if there are none. */
interface Beside {
  edges?: LocalEdges | undefined;
}

const newTerm = (): Term => ({
  closers: new Closers(),
  closing: new AbortController(),
  leaving: { hasBegun: false, countNodes: () => Promise.resolve(1) },
  running: new RunningRequests(),
  beside: {},
});

/** The public message for a storage failure. The details are in the log. */
const STORAGE_DOWN =
  "the object storage is not responding: sites are served from cached files, and all other requests get a 503 response";

/** Returns why traffic should go to other nodes; `undefined` if there is no reason. */
function unreadiness(
  { closing, whyBehind }: Foundation,
  { readOnly, leaving }: { readonly readOnly: boolean; readonly leaving: Leaving },
): string | undefined {
  if (closing.aborted || leaving.hasBegun) return "The platform is stopping";
  const readOnlyReason = "The store is read-only: sites are served, but changes are rejected";
  return whyBehind() ?? (readOnly ? readOnlyReason : undefined);
}

interface Prepared {
  /** The platform's public URL. */
  readonly base: URL;
  readonly outbound: ReturnType<typeof createOutboundFetch>;
  readonly mailer: Mailer | undefined;
  readonly domainOptions: DomainSetup;
}

/**
 * Prepares everything that does not need the data directory, so that unusable options are detected
 * before a takeover.
 */
async function prepare(
  options: CompleteOptions,
  listeners: Listeners,
  closers: Closers,
): Promise<Prepared> {
  const base = publicBase(options, listeners);
  const mailer = openMailer(options, base);
  const domainOptions = await readDomainOptions(options, {
    publicHost: base.hostname,
    onCertificates: (hostnames) => listeners.certificatesChanged(hostnames),
    onTrouble: (message) => options.log({ level: "warn", message }),
  });
  const outbound = closers.add(createOutboundFetch(outboundOptions(options)));
  return { base, outbound, mailer, domainOptions };
}

interface Started extends Pick<RunningPlatform, "url" | "token" | "ownerLink"> {
  readonly handlers: ReturnType<typeof createHandlers>;
}

/** Opens and starts everything behind the ports, then lets requests through. */
async function startBehind(
  listeners: Listeners,
  {
    options,
    prepared,
    sizes,
    geo,
    followLog,
    closers,
    closing,
    leaving,
    beside,
    showing,
    running,
    succession,
    isResumed,
  }: {
    readonly options: CompleteOptions;
    readonly prepared: Prepared;
    readonly sizes: CacheSizes;
    readonly geo: LoadedGeo;
    readonly followLog: FollowLog;
    readonly closers: Closers;
    readonly closing: AbortSignal;
    readonly leaving: Leaving;
    readonly beside: Beside;
    readonly showing: HostOverride;
    readonly running: RunningRequests;
    readonly succession: Succession;
    /** Whether this platform has served before. If so, the owner's link has already been shown. */
    readonly isResumed: boolean;
  },
): Promise<Started> {
  const { log } = options;
  const { base, outbound, mailer, domainOptions } = prepared;
  const onTrouble = (message: string) => log({ level: "warn", message });
  const knowsNetworks = edgeKnowsNetworks(options);
  const opened = await openFoundation(options, closers, {
    base,
    outbound,
    followLog,
    closing,
    listening: ownAddresses(options, listeners),
    localRoutes: localRoutes(base, listeners),
    url: nodeUrlOf(
      { nodeUrl: options.nodeUrl, host: options.host, port: listeners.port },
      () => Deno.networkInterfaces(),
    ),
  });
  const { foundation, readOnly, follower, answerPeer } = opened;
  const cache = createHttpCache({
    now: systemClock,
    capacityBytes: sizes.responses,
    onError: (cause) => onTrouble(`Cannot refresh: ${cause}`),
  });
  const platform = compose(foundation, {
    options,
    cache,
    knowsNetworks,
    country: (address) => geo.geo.country(address),
    serverSandbox: serverSandbox(options),
    domains: domainOptions,
    builds: { ...options.builds, hidden: hiddenPlaces(options) },
    mailer,
  });
  const { accounts, domains, capabilities } = platform;
  const token = await bootstrapAccounts({
    store: accounts.accounts,
    now: systemClock,
    random: systemRandom,
    token: options.bootstrapToken,
  });
  // A node that joins other nodes must not replace the link that the first node has shown.
  const ownerPath = readOnly || isResumed || !foundation.nodes.leads("housekeeping")
    ? undefined
    : await issueOwnerLink({ ...foundation, ...accounts });
  const life = { capabilities, foundation, closers, readOnly };
  await startCapabilities(life);
  const handlers = createHandlers(platform, foundation, {
    options,
    base,
    cache,
    sizes,
    outbound: outbound.fetch,
    geo,
    knowsNetworks,
    listeners,
    showing,
    running,
    answerPeer,
    unready: () => unreadiness(foundation, { readOnly, leaving }),
    trouble: () =>
      foundation.vault.problem() === undefined
        ? platform.notifications.mailProblem()
        : STORAGE_DOWN,
  });
  leaving.countNodes = () => countNodes(foundation.nodes);
  listeners.open(handlers, domains.certificates);
  const { local: link } = platform.edges;
  const { dataDir } = foundation;
  const edges = beside.edges = openLocalEdges(options, { link, dataDir, sizes, listeners });
  if (edges !== undefined) closers.add(edges);
  if (follower !== undefined) followStore(follower, life);
  await succession.settle(handlers, domains.certificates);
  startUpkeep(life, options);
  return {
    url: base.origin,
    token,
    handlers,
    ownerLink: ownerPath === undefined ? undefined : `${base.origin}${ownerPath}`,
  };
}
