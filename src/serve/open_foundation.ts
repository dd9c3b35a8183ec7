/** Opens the data directory and creates the services that every capability builds on. @module */
import { join } from "node:path";
import { removeLeftFolders } from "../lib/held_folders.ts";
import { removeOwnedFolders } from "../lib/owned_folders.ts";
import { Publisher } from "../feed/mod.ts";
import { openFunctionOutbound } from "./outbound.ts";
import { createOutboundFetch, type LocalRoute, type Outbound } from "../runtime/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { Addresses } from "../platform/core/addresses.ts";
import { EventBus, EventStore } from "../platform/core/events/mod.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import type { FollowLog } from "../platform/core/log.ts";
import {
  keepIdentity,
  Membership,
  type NodeIdentity,
  type Nodes,
  ROLES,
  soleNode,
} from "../platform/core/nodes/mod.ts";
import {
  type OpenPeers,
  openPeers,
  type PeersOptions,
  solePeers,
} from "../platform/core/peers/mod.ts";
import { checkKeys, openKeyRing, SecretBox } from "../platform/core/secrets/mod.ts";
import {
  type BlobVault,
  type ChangeFollower,
  checkWhole,
  type DataDir,
  isRemoteStore,
  openDataDir,
  openFsBlobVault,
  openPlatformKv,
  placeName,
} from "../platform/core/store/mod.ts";
import { isS3Place } from "../lib/is_s3_place.ts";
import { bringUpToDate } from "./bring_up_to_date.ts";
import type { Closers } from "./closers.ts";
import type { CompleteOptions } from "./options.ts";
import type { RecordStore } from "../store/mod.ts";

/** Time after which an edge that has not applied a change counts as lost, in milliseconds. */
const FEED_PATIENCE_MS = 2000;

const monotonic = (): number => performance.now();

interface OpenFoundation {
  readonly foundation: Foundation;
  /** Whether the store is read-only, so the platform can only serve. */
  readonly readOnly: boolean;
  /** Follows other nodes' changes if nodes share the store. */
  readonly follower: ChangeFollower | undefined;
  /** Handles requests from other nodes if the store is shared. */
  readonly answerPeer: OpenPeers["handle"] | undefined;
}

/** Registers this node with the other nodes, if the store is shared. */
async function joinNodes(
  { version, log }: CompleteOptions,
  closers: Closers,
  { kv, follower, listening, url, identity }: {
    readonly kv: RecordStore;
    readonly follower: ChangeFollower | undefined;
    readonly listening: readonly string[];
    readonly url: string;
    readonly identity: NodeIdentity;
  },
): Promise<Nodes> {
  const self = { ...identity, instance: systemRandom(16).toHex(), version, addresses: listening };
  if (follower === undefined) {
    const since = systemClock();
    return soleNode({
      ...self,
      self: () => ({ ...self, addresses: [...listening], since, lagMs: 0, roles: [...ROLES] }),
    });
  }
  const membership = await Membership.join({
    ...self,
    url,
    kv,
    now: systemClock,
    monotonic,
    lagMs: () => Math.round(follower.behindMs),
    onTrouble: (message) => log({ level: "error", message }),
  });
  closers.add(membership);
  membership.start();
  return membership;
}

/** Timeouts of requests between nodes, in milliseconds. */
const PEER_TIMES = { connectMs: 3000, idleMs: 10_000 };

/** Opens the connections to other nodes, if nodes share the store. */
function joinPeers(
  closers: Closers,
  { isShared, ...parts }: { readonly isShared: boolean } & Omit<PeersOptions, "fetch">,
): OpenPeers | undefined {
  if (!isShared) return undefined;
  const { fetch } = closers.add(createOutboundFetch({ allowPrivate: true, ...PEER_TIMES }));
  return openPeers({ ...parts, fetch });
}

/** Opens the blob storage: a folder, or object storage with a cache in the data directory. */
async function openBlobs(
  { log, env, blobCacheBytes }: CompleteOptions,
  { kv, dataDir, place, home, isAlone }: {
    /** Identifies this node's data directory. */
    readonly home: string;
    /** Whether this is the only node that uses these records, and therefore these blobs. */
    readonly isAlone: boolean;
    readonly kv: RecordStore;
    readonly dataDir: DataDir;
    readonly place: string;
  },
): Promise<BlobVault> {
  const onDamaged = (message: string) => log({ level: "error", message });
  if (!isS3Place(place)) {
    const owner = isAlone || place === dataDir.blobs ? undefined : home;
    return await openFsBlobVault(place, { onDamaged, owner, monotonic });
  }
  const { openS3BlobVault } = await import("../platform/core/s3/mod.ts");
  return await openS3BlobVault({
    place,
    env,
    kv,
    cache: join(dataDir.cache, "blobs"),
    cacheBytes: blobCacheBytes,
    now: systemClock,
    onDamaged,
    onTrouble: (message) => log({ level: "warn", message }),
  });
}

/** @throws {DataDirInUseError | DataNewerError | DataNotMigratedError | DataIncompleteError} */
export async function openFoundation(
  options: CompleteOptions,
  closers: Closers,
  { base, listening, url, localRoutes, outbound, followLog, closing }: {
    /** The platform's public URL. */
    readonly base: URL;
    /** Addresses of this node's listeners. */
    readonly listening: readonly string[];
    /** This node's URL for other nodes. */
    readonly url: string;
    /** How deployment servers on this node connect to the edge. */
    readonly localRoutes: readonly LocalRoute[];
    readonly outbound: Outbound;
    readonly followLog: FollowLog;
    readonly closing: AbortSignal;
  },
): Promise<OpenFoundation> {
  const { log } = options;
  const onTrouble = (message: string) => log({ level: "warn", message });
  const onDamaged = (message: string) => log({ level: "error", message });
  const dataDir = await openDataDir(options.dataDir);
  closers.add({ close: () => dataDir.release() });
  await removeOwnedFolders(dataDir.root);
  await removeOwnedFolders(join(dataDir.root, "databases"));
  await removeOwnedFolders(join(dataDir.root, "postgres"));
  await removeLeftFolders();
  const places = {
    kv: options.kv ?? dataDir.kv,
    blobs: options.blobs ?? dataDir.blobs,
    keys: options.keysFile ?? dataDir.keys,
  };
  await bringUpToDate({ ...places, dataDir: options.dataDir }, {
    version: options.version,
    log: (message) => log({ level: "info", message }),
  });
  const identity = await keepIdentity(options.dataDir, {
    id: options.nodeId,
    random: systemRandom,
  });
  const { kv, readOnly, follower } = closers.add(
    await openPlatformKv(places.kv, { env: options.env, onTrouble, onDamaged }),
  );
  const vault = await openBlobs(options, {
    kv,
    dataDir,
    place: places.blobs,
    home: identity.home,
    isAlone: !isRemoteStore(places.kv),
  });
  closers.add(vault);
  await checkWhole({ kv, vault }, { ...places, kv: placeName(places.kv) });
  if (readOnly !== undefined) {
    const message =
      `The key-value store ${placeName(places.kv)} is read-only: ${readOnly}. Sites stay ` +
      "online, but nothing can change until the platform restarts with free disk space";
    log({ level: "error", message });
  }
  const [now, random] = [options.now ?? systemClock, systemRandom];
  const box = new SecretBox(await openKeyRing(places.keys, random), random);
  await checkKeys({ kv, box }, {
    ...places,
    kv: placeName(places.kv),
    isShared: isRemoteStore(places.kv),
  }, { mayWrite: readOnly === undefined });
  const nodes = await joinNodes(options, closers, {
    kv,
    follower,
    listening,
    url,
    identity,
  });
  const peers = joinPeers(closers, {
    isShared: nodes.isShared,
    nodes,
    box,
    now: systemClock,
    random,
    closing,
    onTrouble,
  });
  const addresses = new Addresses({
    protocol: base.protocol === "https:" ? "https:" : "http:",
    domain: options.baseDomain,
    port: base.port,
  });
  const shownHosts = { has: (_: string) => false };
  return {
    readOnly: readOnly !== undefined,
    follower,
    answerPeer: peers?.handle,
    foundation: {
      isCurrent: () => follower?.isCurrent() ?? true,
      whyBehind: () => follower?.whyBehind(),
      isOnlyWriter: !isRemoteStore(places.kv),
      kv,
      nodes,
      vault,
      dataDir,
      addresses,
      now,
      random,
      closing,
      log,
      followLog,
      onTrouble,
      box,
      peers: peers ?? solePeers(),
      events: new EventBus({ store: new EventStore(kv), nodes, now, random, onTrouble }),
      feed: new Publisher({ patienceMs: FEED_PATIENCE_MS }),
      publicOrigin: base.origin,
      outbound: outbound.fetch,
      functionOutbound: openFunctionOutbound(options, closers, {
        addresses,
        shownHosts,
        localRoutes,
      }),
      shownHosts,
      allowPrivate: options.allowPrivateUpstreams,
      localRoutes,
      env: options.env,
    },
  };
}
