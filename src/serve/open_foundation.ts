/**
 * Opens the data directory, and creates what every capability builds on.
 *
 * @module
 */
import { Publisher } from "../feed/mod.ts";
import type { Outbound } from "../runtime/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { Addresses } from "../platform/core/addresses.ts";
import { EventBus, EventStore } from "../platform/core/events/mod.ts";
import type { Edges, Foundation } from "../platform/core/foundation.ts";
import { openKeyRing, SecretBox } from "../platform/core/secrets/mod.ts";
import {
  type ChangeFollower,
  checkWhole,
  openDataDir,
  openFsBlobVault,
  openPlatformKv,
  placeName,
} from "../platform/core/store/mod.ts";
import { makeBackup } from "./backup/mod.ts";
import type { Closers } from "./closers.ts";
import type { PlatformOptions } from "./options.ts";
import { settleFormat } from "./settle_format.ts";

/** Time in which an edge has to apply a change, in milliseconds. */
const FEED_PATIENCE_MS = 10_000;

export interface OpenFoundation {
  readonly foundation: Foundation;
  /** Whether the store is read-only, so that the platform only serves. */
  readonly readOnly: boolean;
  /** What other nodes change in the store, where it is shared. */
  readonly follower: ChangeFollower | undefined;
  /** Folder of the blobs. */
  readonly blobs: string;
}

/** Brings the data directory to this program's format, after a backup where it is older. */
async function bringUpToDate(options: PlatformOptions): Promise<void> {
  const { dataDir, kv, blobs, version, log } = options;
  const places = { ...(kv === undefined ? {} : { kv }), ...(blobs === undefined ? {} : { blobs }) };
  await settleFormat({
    ...{ dataDir, version },
    backUp: async (to) => {
      await makeBackup({ ...places, dataDir, to, version, now: systemClock });
    },
    log: (message) => log({ level: "info", message }),
  });
}

/**
 * @throws {DataDirInUseError} when another platform serves from it.
 * @throws {DataNewerError} when a newer program has written it.
 * @throws {DataIncompleteError} if a part of it is missing.
 */
export async function openFoundation(
  options: PlatformOptions,
  closers: Closers,
  { base, outbound, closing, edges }: {
    /** The address at which people reach the platform. */
    readonly base: URL;
    readonly outbound: Outbound;
    readonly closing: AbortSignal;
    readonly edges: Edges;
  },
): Promise<OpenFoundation> {
  const { log } = options;
  const onTrouble = (message: string) => log({ level: "warn", message });
  const dataDir = await openDataDir(options.dataDir);
  closers.add({ close: () => dataDir.release() });
  await bringUpToDate(options);
  const places = {
    kv: options.kv ?? dataDir.kv,
    blobs: options.blobs ?? dataDir.blobs,
    keys: options.keysFile ?? dataDir.keys,
  };
  const { kv, readOnly, follower } = closers.add(
    await openPlatformKv(places.kv, { env: options.env, onTrouble }),
  );
  const vault = await openFsBlobVault(places.blobs, {
    onDamaged: (message) => log({ level: "error", message }),
  });
  await checkWhole(kv, { ...places, kv: placeName(places.kv) });
  if (readOnly !== undefined) {
    const message =
      `The key-value store ${placeName(places.kv)} cannot be written: ${readOnly}. Sites are ` +
      "served, and nothing can be changed, until the platform is started with room on its disk";
    log({ level: "error", message });
  }
  const [now, random] = [systemClock, systemRandom];
  const addresses = new Addresses({
    protocol: base.protocol === "https:" ? "https:" : "http:",
    domain: options.baseDomain,
    port: base.port,
  });
  return {
    readOnly: readOnly !== undefined,
    follower,
    blobs: places.blobs,
    foundation: {
      isCurrent: () => follower?.isCurrent() ?? true,
      ...{ kv, vault, dataDir, edges, addresses, now, random, closing, log, onTrouble },
      box: new SecretBox(await openKeyRing(places.keys, random), random),
      events: new EventBus({ store: new EventStore(kv), now, random, onTrouble }),
      feed: new Publisher({ patienceMs: FEED_PATIENCE_MS }),
      publicOrigin: base.origin,
      outbound: outbound.fetch,
      allowPrivate: options.allowPrivateUpstreams ?? false,
      env: options.env,
    },
  };
}
