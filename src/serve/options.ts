/**
 * The options of a platform, and what a running one offers.
 *
 * @module
 */

import type { ServerSettings } from "../platform/compute/mod.ts";
import type { Clock } from "../lib/clock.ts";
import type { Environment } from "../lib/network_variables.ts";
import type { ImageOptions } from "../platform/images/create_images.ts";
import type { Minutes } from "../platform/cron/mod.ts";
import type { DomainOptions } from "../platform/domains/mod.ts";
import type { BuildSettings, OpenBuilds } from "../platform/builds/mod.ts";
import type { ConnectionLimits } from "../platform/core/listener/mod.ts";
import type { RetentionPolicy } from "../platform/retention/mod.ts";
import type { PlatformLog } from "../platform/core/log.ts";
import type { SocketLimits } from "../runtime/mod.ts";
import type { CacheSizes } from "./cache_sizes.ts";

export interface PlatformOptions extends DomainOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  readonly dataDir: string;
  /**
   * Whether to take over from the platform that serves from this data directory, where one
   * does: it ends when this one answers, and no request is dropped.
   */
  readonly replace?: boolean;
  /** Address at which people reach the platform, if it is not the listener's (behind a proxy). */
  readonly publicUrl?: string;
  /**
   * Path or KV Connect URL of the key-value store, or `postgres://` without a password, which
   * is in `env` or in a file; in the data directory by default.
   */
  readonly kv?: string;
  /**
   * Name of this node among those that share a store; by default one that is made once and
   * kept in the data directory.
   */
  readonly nodeId?: string;
  /**
   * Where other nodes reach this one (`http://10.0.0.1:8787`); by default the listener's
   * address, or where that takes all, the machine's first that is not of itself alone.
   */
  readonly nodeUrl?: string;
  /** File of the keys that secrets are sealed with; in the data directory by default. */
  readonly keysFile?: string;
  /**
   * Folder of the blobs, or an object storage (`s3://bucket/prefix?endpoint=…`) with access
   * keys in `env`; in the data directory by default.
   */
  readonly blobs?: string;
  /** Most disk for files of an object storage that are kept here, in bytes; 10 GiB by default. */
  readonly blobCacheBytes?: number;
  /** Limits of the connections that clients open; `completeLimits` has the defaults. */
  readonly connections?: Partial<ConnectionLimits>;
  /** CIDRs of proxies that are trusted to name the client's address. */
  readonly trustProxy: readonly string[];
  /** Path of an MMDB with countries, in place of the built-in one. */
  readonly geoip?: string;
  /** Path of an MMDB with autonomous systems; without it no request has an ASN. */
  readonly asn?: string;
  /**
   * Port of the HTTPS listener, if `tls` or `acme` is given; 0 takes a free
   * one, 443 by default.
   */
  readonly httpsPort?: number;
  /** Lets rewrites and functions reach private, local and reserved addresses. */
  readonly allowPrivateUpstreams?: boolean;
  /** Certificates (PEM) of authorities that rewrites and functions trust, beside the system's. */
  readonly upstreamCa?: readonly string[];
  /** Time limits for other sites: to connect (10 s), and between two bytes (60 s). */
  readonly upstreamTimes?: { readonly connectMs?: number; readonly idleMs?: number };
  /** The server that delivers the platform's mail; without it no mail is sent. */
  readonly mail?: {
    /** `smtp[s]://user:password@host:port`: a secret. */
    readonly smtpUrl: string;
    /** `user@host` or `Name <user@host>`; `svc@` the platform's host by default. */
    readonly from?: string;
  };
  /** Which old deployments are kept; by default the last 50 and those of 30 days. */
  readonly retention?: RetentionPolicy;
  /** Time between two rounds of housekeeping, in milliseconds; by default an hour. */
  readonly housekeepingMs?: number;
  /**
   * Whether servers of deployments run without the whole sandbox (by default
   * not), and what the system offers for it (probed by default).
   */
  readonly servers?: Partial<ServerSettings>;
  /** Most servers of deployments at the same time; by default, what memory and processors allow. */
  readonly maxServers?: number;
  /**
   * WebSockets open at the same time to one server, and to all together; 1,000
   * and what the process's descriptors allow by default.
   */
  readonly serverSockets?: Partial<SocketLimits>;
  /** Most processes of functions at the same time; by default, what memory allows. */
  readonly maxFunctionProcesses?: number;
  /** Memory of the edge's caches; by default, what the machine's memory allows. */
  readonly caches?: Partial<CacheSizes>;
  /** How images are converted; `false` where they are not. */
  readonly images?: ImageOptions | false;
  /** The clock of records, sessions and limits on guessing; the machine's by default. */
  readonly now?: Clock;
  /** The minutes in which scheduled tasks are started; those of the machine's clock by default. */
  readonly minutes?: Minutes;
  /**
   * Most builds from git at the same time; by default one per two processors, and 0 where
   * other nodes build.
   */
  readonly buildConcurrency?: number;
  /** Longest wait of a trigger for its repository, in milliseconds; 50 seconds by default. */
  readonly resolveMs?: number;
  /** How builds from git are sandboxed; without a sandbox none runs unless this allows it. */
  readonly builds?: Partial<Omit<BuildSettings, "hidden">>;
  /** Folders of this machine in which the repositories of projects may be. */
  readonly gitRoots?: readonly string[];
  /**
   * Opens git and the build runner, for builds that run elsewhere; the
   * platform's own by default.
   */
  readonly openBuilds?: OpenBuilds;
  /** The chat bot that notifies people of events (Telegram Bot API). */
  readonly bot?: {
    /** A secret. */
    readonly token: string;
    /** Address of the Bot API, if it is not Telegram's own. */
    readonly api?: string;
    /** Name of the bot without @; queried by default. */
    readonly name?: string;
  };
  /**
   * The PostgreSQL server that databases are on: `postgres://user:password@host/database`
   * (a secret) with a role that may create databases and roles, or `local` for one that the
   * platform runs itself; without it databases are embedded.
   */
  readonly postgres?: string;
  /** Port for PostgreSQL clients; 0 takes a free one, null is none; the one after `port` by default. */
  readonly postgresPort?: number | null;
  /** Bearer token for `/metrics` (`SVC_METRICS_TOKEN`), which are for this machine without it. */
  readonly metricsToken?: string;
  /** The first API key (`SVC_BOOTSTRAP_TOKEN`); random by default. */
  readonly bootstrapToken?: string;
  /**
   * The process's environment: where programs and caches are, and how the
   * network is reached. Foreign code gets only the named parts of it.
   */
  readonly env: Environment;
  readonly version: string;
  log(line: PlatformLog): void;
  /** Counts errors that no code handles, where the process takes them. */
  readonly unhandledErrors?: { readonly count: number };
}

export interface RunningPlatform {
  /** Base address of API and web. */
  readonly url: string;
  readonly port: number;
  /** Port of the HTTPS listener; `undefined` if there is none. */
  readonly httpsPort: number | undefined;
  /** The first API key, if this start created it. */
  readonly token: string | undefined;
  /**
   * One-time address at which the owner sets email and password, while there is
   * no password. A secret, to be printed once for whoever started the platform.
   */
  readonly ownerLink: string | undefined;
  /**
   * From now on the site of this host answers every request, whatever host that names,
   * and nothing else of the platform can be reached: for a platform that previews one
   * site.
   */
  showOnly(hostname: string): void;
  /**
   * Says that this node is not ready, and answers on until load balancers have noticed: a
   * connection that one has just made would be lost. At once where there is no other node.
   */
  leave(): Promise<void>;
  /** Lets running requests finish, then closes everything. */
  shutdown(): Promise<void>;
  /** Resolves when the platform has ended. */
  readonly finished: Promise<void>;
}
