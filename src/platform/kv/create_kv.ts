/**
 * Wires up key-value stores: one for each environment, for the servers of the environment's
 * deployments.
 *
 * @module
 */
import { formatCount } from "../../lib/format.ts";
import {
  createKvFetch,
  createKvHandler,
  type KvFetch,
  KvStore,
  type Namespace,
} from "../../kv/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { deleteKeys, keys } from "../core/store/mod.ts";
import { type KvAddress, KvListener } from "./kv_listener.ts";
import { bindKvRoutes, type KvRouteServices } from "./routes.ts";
import type { Random } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";

const TOKEN_BYTES = 32;

const encode = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/**
 * The tokens with which servers access their namespaces. Like the servers, the tokens do not
 * outlive this process.
 */
class KvTokens {
  readonly #tokens = new Map<string, string>();
  /** Owners, keyed by token hash, so the duration of a lookup reveals nothing about the token. */
  readonly #owners = new Map<string, KvOwner>();

  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns the token for a deployment's servers. The first call creates the token. */
  tokenOf(owner: KvOwner): string {
    const { deploymentId } = owner;
    let token = this.#tokens.get(deploymentId);
    if (token === undefined) {
      token = `svckv_${encode(this.#random(TOKEN_BYTES))}`;
      this.#tokens.set(deploymentId, token);
      this.#owners.set(sha256Hex(token), owner);
    }
    return token;
  }

  /** Returns the owner of the token. */
  ownerOf(token: string): KvOwner | undefined {
    return this.#owners.get(sha256Hex(token));
  }

  /** Invalidates all tokens for a project, or for one of its environments. */
  forget(projectId: string, environment?: string): void {
    for (const [deploymentId, token] of this.#tokens) {
      const hash = sha256Hex(token);
      const owner = this.#owners.get(hash);
      if (owner?.projectId !== projectId) continue;
      if (environment !== undefined && owner.environment !== environment) continue;
      this.#owners.delete(hash);
      this.#tokens.delete(deploymentId);
    }
  }
}

/** The address and the variables with which a server connects to its store. */
interface KvAccess {
  readonly address: KvAddress;
  /** The variables `SVC_KV_URL` and `SVC_KV_TOKEN`, and those for queues. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface KvOwner {
  readonly deploymentId: string;
  readonly projectId: string;
  readonly environment: string;
}

/**
 * Another service at the same address as the key-value store. This service authorizes requests
 * itself.
 */
interface LocalService {
  serves(path: string): boolean;
  handle(request: Request): Promise<Response>;
}

export interface ProjectKv {
  /** Gives a deployment's servers access to the store. */
  readonly kvFor: (owner: KvOwner) => KvAccess;
  /** Handles requests from a deployment's functions to the store. */
  readonly kvFetchFor: (owner: KvOwner) => KvFetch;
  readonly capability: Capability;
}

/** The queue endpoints, at the store's address. */
interface QueueAccess {
  /** Returns the secret with which a deployment's servers verify messages. */
  queueSecretOf(deploymentId: string): string;
  /** Handles a request that sends a message. */
  answerQueue(owner: KvOwner, request: Request): Promise<Response>;
}

const namespaceOf = ({ projectId, environment }: KvOwner): Namespace => [projectId, environment];

export function createKv(
  { kv, isOnlyWriter, now, random, onTrouble }: Pick<
    Foundation,
    "kv" | "isOnlyWriter" | "now" | "random" | "onTrouble"
  >,
  { projects, environments, queueSecretOf, answerQueue, others = [] }:
    & Omit<KvRouteServices, "store">
    & QueueAccess
    & {
      /** Other services at the same address, by the prefix of their path. */
      readonly others?: readonly LocalService[];
    },
): ProjectKv {
  const store = new KvStore({ kv, root: keys.userKv(), isOnlyWriter, now, random });
  const tokens = new KvTokens(random);
  const answerOther = (owner: KvOwner, request: Request): Promise<Response> | undefined =>
    new URL(request.url).pathname.startsWith("/v1/queues/")
      ? answerQueue(owner, request)
      : undefined;
  const handle = createKvHandler({
    store,
    ownerOf: (token) => tokens.ownerOf(token),
    namespaceOf,
    answerOther,
    onTrouble,
  });
  const listener = new KvListener((request) => {
    const { pathname } = new URL(request.url);
    const other = others.find(({ serves }) => serves(pathname));
    return other === undefined ? handle(request) : other.handle(request);
  }, onTrouble);
  return {
    kvFor(owner) {
      const address = listener.open();
      const SVC_KV_TOKEN = tokens.tokenOf(owner);
      const SVC_KV_URL = `http://${address.host}:${address.port}`;
      return {
        address,
        variables: {
          SVC_KV_URL,
          SVC_KV_TOKEN,
          SVC_QUEUE_URL: `${SVC_KV_URL}/v1/queues`,
          SVC_QUEUE_TOKEN: SVC_KV_TOKEN,
          SVC_QUEUE_SECRET: queueSecretOf(owner.deploymentId),
        },
      };
    },
    kvFetchFor: (owner) =>
      createKvFetch({
        store,
        namespace: namespaceOf(owner),
        answerOther: (request) => answerOther(owner, request),
        onTrouble,
      }),
    capability: {
      name: "kv",
      bindRoutes: (router) => bindKvRoutes(router, { projects, environments, store }),
      close: () => listener.close(),
      async cleanUp(signal, lease) {
        const count = await store.sweep(signal, lease);
        return count === 0
          ? []
          : [`removed ${formatCount(count, "expired value")} from key-value stores`];
      },
      forgetProject: (projectId) => Promise.resolve(tokens.forget(projectId)),
      projectKeys: (projectId) => store.recordsOf(projectId),
      async removeEnvironment({ projectId, name }) {
        tokens.forget(projectId, name);
        await deleteKeys(kv, store.recordsOf(projectId, name));
        store.dropCached(projectId, name);
      },
    },
  };
}
