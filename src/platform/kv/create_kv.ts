/**
 * Composes the key-value stores of projects: one for each environment, which
 * the servers of its deployments reach at an address of their own.
 *
 * @module
 */
import { formatCount } from "../../lib/format.ts";
import { createKvFetch, createKvHandler, type KvFetch, KvStore } from "../../kv/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { deleteKeys, keys } from "../core/store/mod.ts";
import { type KvAddress, KvListener } from "./kv_listener.ts";
import { KvTokens } from "./kv_tokens.ts";
import { bindKvRoutes, type KvRouteServices } from "./routes.ts";

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
  parts: Omit<KvRouteServices, "store">,
): ProjectKv {
  const store = new KvStore({ kv, root: keys.userKv(), isOnlyWriter, now, random });
  const tokens = new KvTokens(random);
  const handle = createKvHandler({
    store,
    namespaceOf: (token) => tokens.namespaceOf(token),
    onTrouble,
  });
  const listener = new KvListener(handle, onTrouble);
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
