/**
 * Composes the key-value stores of projects: one for each environment, which
 * the servers of its deployments reach at their own address.
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
 * Tokens by which servers open their namespace. They live as long as the process of the
 * platform, as servers do, and are stored nowhere.
 */
class KvTokens {
  readonly #tokens = new Map<string, string>();
  /** By the hash of the token, so that how long a search takes says nothing of it. */
  readonly #namespaces = new Map<string, Namespace>();

  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The token of a deployment's servers, made by the first call. */
  tokenOf(deploymentId: string, namespace: Namespace): string {
    let token = this.#tokens.get(deploymentId);
    if (token === undefined) {
      token = `svckv_${encode(this.#random(TOKEN_BYTES))}`;
      this.#tokens.set(deploymentId, token);
      this.#namespaces.set(sha256Hex(token), namespace);
    }
    return token;
  }

  /** The namespace that a token opens. */
  namespaceOf(token: string): Namespace | undefined {
    return this.#namespaces.get(sha256Hex(token));
  }

  /** Makes all tokens for a project, or for one environment of it, worthless. */
  forget(projectId: string, environment?: string): void {
    for (const [deploymentId, token] of this.#tokens) {
      const hash = sha256Hex(token);
      const [project, name] = this.#namespaces.get(hash) ?? [];
      if (project !== projectId || (environment !== undefined && name !== environment)) continue;
      this.#namespaces.delete(hash);
      this.#tokens.delete(deploymentId);
    }
  }
}

/** How a server reaches its store. */
export interface KvAccess {
  readonly address: KvAddress;
  /** `SVC_KV_URL` and `SVC_KV_TOKEN`. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Whose store it is. */
export interface KvOwner {
  readonly deploymentId: string;
  readonly projectId: string;
  /** Name of the environment. */
  readonly environment: string;
}

/** A service beside the key-value store, at its address. It authorizes requests itself. */
export interface LocalService {
  serves(path: string): boolean;
  handle(request: Request): Promise<Response>;
}

export interface ProjectKv {
  /** Opens the store to the servers of a deployment. */
  readonly kvFor: (owner: KvOwner) => KvAccess;
  /** Performs the requests of a deployment's functions to the store. */
  readonly kvFetchFor: (owner: KvOwner) => KvFetch;
  readonly capability: Capability;
}

export function createKv(
  { kv, isOnlyWriter, now, random, onTrouble }: Pick<
    Foundation,
    "kv" | "isOnlyWriter" | "now" | "random" | "onTrouble"
  >,
  { others = [], ...parts }: Omit<KvRouteServices, "store"> & {
    /** What else servers reach at the address of their store, by the beginning of its path. */
    readonly others?: readonly LocalService[];
  },
): ProjectKv {
  const store = new KvStore({ kv, root: keys.userKv(), isOnlyWriter, now, random });
  const tokens = new KvTokens(random);
  const handle = createKvHandler({
    store,
    namespaceOf: (token) => tokens.namespaceOf(token),
    onTrouble,
  });
  const listener = new KvListener((request) => {
    const { pathname } = new URL(request.url);
    const other = others.find(({ serves }) => serves(pathname));
    return other === undefined ? handle(request) : other.handle(request);
  }, onTrouble);
  return {
    kvFor({ deploymentId, projectId, environment }) {
      const address = listener.open();
      const SVC_KV_TOKEN = tokens.tokenOf(deploymentId, [projectId, environment]);
      const SVC_KV_URL = `http://${address.host}:${address.port}`;
      return { address, variables: { SVC_KV_URL, SVC_KV_TOKEN } };
    },
    kvFetchFor: ({ projectId, environment }) =>
      createKvFetch({ store, namespace: [projectId, environment], onTrouble }),
    capability: {
      name: "kv",
      bindRoutes: (router) => bindKvRoutes(router, { ...parts, store }),
      close: () => listener.close(),
      async keepHouse(signal, lease) {
        const count = await store.sweep(signal, lease);
        return count === 0 ? [] : [`removed ${formatCount(count, "expired value")} of projects`];
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
