/**
 * The messages between the platform and an edge thread. They hold data only.
 *
 * @module
 */
import type { CachedCopy, Decided, PoolMemory, SharedCounters, SiteFile } from "../../edge/mod.ts";
import type { Change, ResourceUri, Snapshot } from "../../feed/mod.ts";
import type { Manifest } from "../../manifest/mod.ts";
import type { KeyPair } from "../../platform/certificates/mod.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type {
  Explained,
  FetchTarget,
  FunctionLease,
  LinkedFailure,
  ServerLease,
  SharedSlots,
} from "../../runtime/mod.ts";
import type { DeploymentCounts } from "../../traffic/mod.ts";
import type { FunctionEnd, FunctionFrameMessage, FunctionLine } from "./function_wire.ts";
import type { ListenOptions } from "../listeners.ts";
import type { RefusalReason } from "./refusal.ts";

/** What a thread is started with. */
export interface ThreadStart {
  /** Its place among the threads, from 0. */
  readonly index: number;
  /** Where it listens; its ports are those that other threads listen on too. */
  readonly listen: ListenOptions;
  /** Hosts of the API. */
  readonly apiHosts: readonly string[];
  readonly geoip: string | undefined;
  readonly asn: string | undefined;
  readonly counters: SharedCounters;
  /** What it shares with the platform about servers. */
  readonly slots: SharedSlots;
  /** Where all threads count the requests that they answer. */
  readonly requestCounts: SharedArrayBuffer;
  /** Memory for small files, in bytes. */
  readonly staticCacheBytes: number;
  /** Where the bodies of cached responses lie for all threads. */
  readonly bodies: PoolMemory;
  /** Memory for what a thread holds of cached responses itself, in bytes. */
  readonly cacheBytes: number;
  /** Name of all edges of the platform in `Via`. */
  readonly pseudonym: string;
}

/** Identifies a request between the platform and one thread. */
type RequestId = number;

/** A part of a body; `null` at its end. */
export type BodyPart = Uint8Array<ArrayBuffer> | null;

/** The head of a request that a thread hands over. */
export interface RequestHead {
  readonly id: RequestId;
  readonly method: string;
  /** As the client wrote it. */
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly remoteAddress: string;
  readonly scheme: "http" | "https";
  readonly hasBody: boolean;
  /** What the thread's edge has decided; missing where it has not judged the request. */
  readonly decided?: Decided | undefined;
  /** Where it is no client's request, but a function's: to whom, for which deployment. */
  readonly fetch?: FunctionFetch | undefined;
}

/** A request of a function that a thread has called. */
export interface FunctionFetch {
  readonly deploymentId: string;
  readonly to: FetchTarget;
  readonly redirect: "follow" | "manual" | "error" | undefined;
}

/** The head of a response. */
export interface ResponseHead {
  readonly id: RequestId;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** The whole body, or that it comes in parts. */
  readonly body: BodyPart | "parts";
  /** Whether the client's connection becomes a WebSocket. */
  readonly upgrade: boolean;
  /** Why the answer to a routed request is an error page. */
  readonly problem?: string | undefined;
  /** In response to a function's request: what only such requests need. */
  readonly fetched?: {
    readonly statusText: string;
    readonly url: string;
    readonly redirected: boolean;
  };
}

/** What a thread has to ask. */
export type Question =
  | {
    readonly type: "site";
    readonly projectId: string;
    readonly deploymentId: string;
  }
  | { readonly type: "rules"; readonly projectId: string }
  /** The file of a blob, which is to be fetched. */
  | { readonly type: "blob"; readonly workspaceId: string; readonly sha256: string }
  | { readonly type: "certificate"; readonly hostname: string }
  | { readonly type: "failure"; readonly failure: LinkedFailure }
  /** What the visitors of a day since the Unix epoch are hashed with. */
  | { readonly type: "salt"; readonly day: number }
  /** Unsafe requests, answered in the thread, have made responses to these URIs invalid. */
  | { readonly type: "invalid"; readonly uris: readonly ResourceUri[] }
  /** The process of a deployment's functions. */
  | { readonly type: "functions"; readonly deploymentId: string };

/** What a thread compiles a site from. */
export interface ThreadSite {
  /** Folder of all blobs. */
  readonly blobs: string;
  /** Whether files that are not in the folder can be had by a question. */
  readonly fetched: boolean;
  readonly workspaceId: string;
  readonly manifest: Manifest;
  readonly files: readonly SiteFile[];
  readonly rules: RuntimeRuleSet | null;
}

/** The answers to questions; `undefined` where there is nothing. */
export interface Answers {
  readonly site: ThreadSite | undefined;
  readonly rules: RuntimeRuleSet | undefined;
  /** Why the file cannot be had now; `undefined` where it is there. */
  readonly blob: { readonly message: string; readonly retryAfter: number } | undefined;
  readonly certificate: KeyPair | undefined;
  readonly failure: Explained;
  readonly salt: Uint8Array;
  readonly functions: FunctionLease | undefined;
  readonly invalid: undefined;
}

/** What the platform wants to know of a thread. */
export type Inquiry =
  /** That it has sent all lines of the access log so far. */
  | { readonly type: "lines" }
  /** That it has sent all that it has counted of traffic so far. */
  | { readonly type: "traffic" }
  /** That its new connections see the certificates of hosts that have changed. */
  | { readonly type: "certificates"; readonly hostnames: readonly string[] }
  /** That it hands over all requests from now on. */
  | { readonly type: "divert" }
  /** It is to answer by itself again, after it was diverted. */
  | { readonly type: "resume" }
  | { readonly type: "leave" }
  /** How often each rule of a host's site took effect. */
  | { readonly type: "rule_counts"; readonly hostname: string };

/** Lines of the access log of one project. */
export interface ProjectLines {
  readonly projectId: string;
  /** Joined by line feeds. */
  readonly lines: string;
}

/** Messages of a WebSocket, either way. */
export type SocketMessage =
  | {
    readonly type: "socket_message";
    readonly id: RequestId;
    readonly data: string | Uint8Array<ArrayBuffer>;
  }
  | {
    readonly type: "socket_close";
    readonly id: RequestId;
    /** Missing where the closing side gave none. */
    readonly code: number | undefined;
    readonly reason: string;
  };

export type ToPlatform =
  /** It can listen. */
  | { readonly type: "ready" }
  | { readonly type: "listening"; readonly port: number; readonly httpsPort: number | undefined }
  | { readonly type: "failed"; readonly name: string; readonly message: string }
  | { readonly type: "stopped" }
  | { readonly type: "applied"; readonly place: number }
  | { readonly type: "gap" }
  | { readonly type: "log"; readonly line: PlatformLog }
  | { readonly type: "lines"; readonly projects: readonly ProjectLines[] }
  | { readonly type: "traffic"; readonly counts: readonly DeploymentCounts[] }
  | { readonly type: "ask"; readonly id: number; readonly question: Question }
  | { readonly type: "found"; readonly id: number; readonly value: unknown }
  /** A place at a server was given back for which others wait. */
  | { readonly type: "server_left"; readonly slot: number }
  | FunctionFrameMessage
  | FunctionLine
  | ({ readonly type: "request" } & RequestHead)
  | { readonly type: "body"; readonly id: RequestId; readonly part: BodyPart }
  /** The client's body broke off. */
  | { readonly type: "broken"; readonly id: RequestId; readonly message: string }
  /** More of the response is wanted. */
  | { readonly type: "more"; readonly id: RequestId }
  /** The client has left. */
  | { readonly type: "gone"; readonly id: RequestId }
  | { readonly type: "socket_open"; readonly id: RequestId }
  /** The client has taken that many bytes of messages. */
  | { readonly type: "socket_taken"; readonly id: RequestId; readonly bytes: number }
  | SocketMessage;

export type ToThread =
  | ({ readonly type: "start" } & ThreadStart)
  | { readonly type: "listen" }
  | { readonly type: "stop" }
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  | { readonly type: "change"; readonly change: Change }
  /** A server that the thread may use from now on. */
  | { readonly type: "server_opened"; readonly lease: ServerLease }
  | FunctionFrameMessage
  | FunctionEnd
  /** A cached response, for the thread's own cache. */
  | { readonly type: "copy"; readonly copy: CachedCopy }
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  | ({ readonly type: "refusal"; readonly id: number } & RefusalReason)
  | { readonly type: "inquire"; readonly id: number; readonly inquiry: Inquiry }
  | ({ readonly type: "response" } & ResponseHead)
  | { readonly type: "body"; readonly id: RequestId; readonly part: BodyPart }
  /** The response broke off, by the fault of another or of the platform. */
  | {
    readonly type: "broken";
    readonly id: RequestId;
    readonly message: string;
    readonly isForeign: boolean;
  }
  /** More of the request's body is wanted. */
  | { readonly type: "more"; readonly id: RequestId }
  /** No more of the request's body is wanted. */
  | { readonly type: "enough"; readonly id: RequestId }
  | SocketMessage;
