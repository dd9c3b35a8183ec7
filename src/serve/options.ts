/**
 * How a platform is started.
 *
 * @module
 */

import type { ServerSettings } from "../platform/compute/mod.ts";
import type { Environment } from "../lib/network_variables.ts";
import type { DomainOptions } from "../platform/domains/mod.ts";
import type { BuildSettings, OpenBuilds } from "../platform/builds/mod.ts";
import type { ConnectionLimits } from "../platform/core/listener/mod.ts";
import type { RetentionPolicy } from "../platform/retention/mod.ts";
import type { PlatformLog } from "../platform/core/log.ts";
import type { SocketLimits } from "../runtime/mod.ts";

export interface PlatformOptions extends DomainOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  readonly dataDir: string;
  /** Address that people use, where it is not that of the listener (behind a proxy). */
  readonly publicUrl?: string;
  /** Path or KV Connect URL of the key-value store; in the data directory where missing. */
  readonly kv?: string;
  /** Folder of the blobs; in the data directory where missing. */
  readonly blobs?: string;
  /** Bounds of the connections that clients open; `completeLimits` has the defaults. */
  readonly connections?: Partial<ConnectionLimits>;
  /** CIDRs of proxies whose word on the client's address is taken. */
  readonly trustProxy: readonly string[];
  /** Path of an MMDB with countries, in place of the one that ships inside. */
  readonly geoip?: string;
  /** Path of an MMDB with autonomous systems; without it no request has an ASN. */
  readonly asn?: string;
  /** Port of the HTTPS listener, where `tls` or `acme` is given; 0 takes a free one, 443 where missing. */
  readonly httpsPort?: number;
  /** Lets rewrites and functions reach private, local and reserved addresses. */
  readonly allowPrivateUpstreams?: boolean;
  /** Certificates (PEM) by which rewrites and functions trust others, beside the system's. */
  readonly upstreamCa?: readonly string[];
  /** Times that other sites get: to connect (10 s), and between two bytes (60 s). */
  readonly upstreamTimes?: { readonly connectMs?: number; readonly idleMs?: number };
  /** The server that takes the platform's mail; without it no mail is sent. */
  readonly mail?: {
    /** `smtp[s]://user:password@host:port`: a secret. */
    readonly smtpUrl: string;
    /** `user@host` or `Name <user@host>`; `svc@` the platform's host where missing. */
    readonly from?: string;
  };
  /** Which old deployments are kept; the last 50 and those of 30 days where missing. */
  readonly retention?: RetentionPolicy;
  /** When housekeeping runs, in milliseconds; after a minute, then hourly where missing. */
  readonly housekeeping?: { readonly firstMs: number; readonly everyMs: number };
  /**
   * Whether servers of deployments run without the whole sandbox (not, where
   * missing), and what the system offers for it (looked up where missing).
   */
  readonly servers?: Partial<ServerSettings>;
  /** Servers of deployments that run at the same time; what memory and processors bear where missing. */
  readonly maxServers?: number;
  /**
   * WebSockets open at the same time to one server, and to all together; 1,000
   * and what the process's descriptors bear where missing.
   */
  readonly serverSockets?: Partial<SocketLimits>;
  /** Processes of functions that run at the same time; what memory bears where missing. */
  readonly maxFunctionProcesses?: number;
  /** Builds from git that run at the same time; one for two processors where missing. */
  readonly buildConcurrency?: number;
  /** Longest wait of a trigger for its repository, in milliseconds; 50 seconds where missing. */
  readonly resolveMs?: number;
  /** How builds from git are kept in bounds; without walls none runs unless it says so. */
  readonly builds?: Partial<Omit<BuildSettings, "hidden">>;
  /** Folders of this machine below which the repositories of projects may lie. */
  readonly gitRoots?: readonly string[];
  /** Opens git and the build runner, for those who build elsewhere; the platform's own where missing. */
  readonly openBuilds?: OpenBuilds;
  /** The chat bot by which people are told of events (Telegram Bot API). */
  readonly bot?: {
    /** A secret. */
    readonly token: string;
    /** Address of the Bot API, where it is not Telegram's own. */
    readonly api?: string;
    /** Name of the bot without @; asked for where missing. */
    readonly name?: string;
  };
  /** The first API key (`SVC_BOOTSTRAP_TOKEN`); random where missing. */
  readonly bootstrapToken?: string;
  /**
   * The process's environment: where programs and caches are, and how the
   * network is reached. Foreign code gets nothing of it but what is named.
   */
  readonly env: Environment;
  readonly version: string;
  log(line: PlatformLog): void;
}

export interface RunningPlatform {
  /** Base address of API and web. */
  readonly url: string;
  readonly port: number;
  /** Port of the HTTPS listener; `undefined` where there is none. */
  readonly httpsPort: number | undefined;
  /** The first API key, where this start made it. */
  readonly token: string | undefined;
  /**
   * One-time address at which the owner sets email and password, while there
   * is no password: a secret, to be printed once, for the one who started it.
   */
  readonly ownerLink: string | undefined;
  /** Lets requests under way finish, then closes everything. */
  shutdown(): Promise<void>;
  /** Resolves when the platform has ended. */
  readonly finished: Promise<void>;
}
