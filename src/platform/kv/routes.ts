/** `/v1/projects/{project}/kv`: an environment's key-value store. @module */
import { endpoints } from "../../contract/endpoints.ts";
import type { KvEntry, KvValue } from "../../contract/kv.ts";
import type { KvItem, KvStore, KvValue as StoredValue, Namespace } from "../../kv/mod.ts";
import type { Caller } from "../core/access/mod.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";

export interface KvRouteServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly store: Pick<KvStore, "get" | "set" | "remove" | "list">;
}

const CHANGED = "The key has changed. Read it again and retry";
const EXISTS = "The key already exists. Send its version to replace the value";

const entryOf = ({ key, size, version, expiresAt }: KvItem): KvEntry => ({
  key,
  size,
  version,
  expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
});

/**
 * Number of bytes to encode at a time. The number is a multiple of 3, so the pieces have no
 * padding.
 */
const PIECE = 3 * 8192;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return text;
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Encodes bytes as text if they are valid UTF-8, otherwise as base64. */
function encode(bytes: Uint8Array): Pick<KvValue, "encoding" | "value"> {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { encoding: "text", value: decoder.decode(bytes) };
  } catch {
    return { encoding: "base64", value: toBase64(bytes) };
  }
}

function valueOf(key: string, { bytes, contentType, ...facts }: StoredValue): KvValue {
  return {
    ...entryOf({ key, size: bytes.byteLength, ...facts }),
    contentType,
    ...encode(bytes),
  };
}

export function bindKvRoutes(router: Router, services: KvRouteServices): void {
  const { projects, environments, store } = services;

  async function namespaceOf(
    caller: Caller,
    name: string,
    environment: string,
  ): Promise<Namespace> {
    const project = await findProject(projects, caller, name);
    return [project.id, await findEnvironmentName(environments, project, environment)];
  }

  router.guarded(endpoints.listKv, async (caller, { params, query }) => {
    const { environment, prefix, limit, cursor: after } = query;
    const namespace = await namespaceOf(caller, params.project, environment);
    const { items, cursor } = await store.list(namespace, { prefix, limit, after });
    return { items: items.map(entryOf), nextCursor: cursor };
  });

  router.guarded(endpoints.getKvValue, async (caller, { params, query }) => {
    const { environment, key } = query;
    const found = await store.get(await namespaceOf(caller, params.project, environment), key);
    if (found === undefined) {
      throw new Failure("not_found", `Key "${key}" does not exist in the store of ${environment}`);
    }
    return valueOf(key, found);
  });

  router.guarded(endpoints.setKvValue, async (caller, { params, body }) => {
    const { environment, key, contentType, ttlSeconds, version } = body;
    const namespace = await namespaceOf(caller, params.project, environment);
    const bytes = body.encoding === "text"
      ? new TextEncoder().encode(body.value)
      : fromBase64(body.value);
    const result = await store.set(namespace, key, {
      bytes,
      contentType,
      ttlSeconds: ttlSeconds ?? undefined,
      condition: version === undefined
        ? undefined
        : version === null
        ? { type: "absent" }
        : { type: "version", version },
    });
    if (result.type === "conflict") {
      throw new Failure("conflict", version === null ? EXISTS : CHANGED);
    }
    if (result.type === "full") throw new Failure("storage_full", result.message);
    const set = await store.get(namespace, key);
    // The entry may already show a later change by another writer.
    return entryOf({
      key,
      size: set?.bytes.byteLength ?? bytes.byteLength,
      version: set?.version ?? result.version,
      ...(set?.expiresAt === undefined ? {} : { expiresAt: set.expiresAt }),
    });
  });

  router.guarded(endpoints.deleteKvValue, async (caller, { params, query }) => {
    const { environment, key, version } = query;
    const namespace = await namespaceOf(caller, params.project, environment);
    const condition = version === undefined ? undefined : { type: "version", version } as const;
    const isRemoved = await store.remove(namespace, key, condition);
    if (!isRemoved) throw new Failure("conflict", CHANGED);
    return undefined;
  });
}
