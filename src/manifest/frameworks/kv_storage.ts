/**
 * @module A driver for unstorage, the storage layer of Nitro and Astro. The driver uses the
 * project's key-value store (docs/kv.md), because servers lose what they write to files.
 */

/**
 * Code that defines `__svcStorage(prefix, ttlSeconds)`. This function returns a driver whose keys
 * start with a prefix, or `undefined` if there is no store, for example when the author runs the
 * build locally.
 */
export const STORAGE_DRIVER = `function __svcStorage(prefix, ttlSeconds) {
  const { SVC_KV_URL: url, SVC_KV_TOKEN: token } = process.env;
  if (!url || !token) return undefined;
  const ask = async (path, query, init = {}) => {
    const response = await fetch(url + path + "?" + new URLSearchParams(query), {
      ...init,
      headers: { authorization: "Bearer " + token, ...init.headers },
    });
    if (response.ok || response.status === 404) return response;
    const { error } = await response.json().catch(() => ({ error: response.statusText }));
    throw new Error("The key-value store responded with " + response.status + ": " + error);
  };
  const read = async (key) => {
    const response = await ask("/v1/value", { key: prefix + key });
    if (response.ok) return response;
    await response.body?.cancel();
    return undefined;
  };
  const write = async (key, body, options) => {
    const ttl = options?.ttl ?? ttlSeconds;
    await ask("/v1/value", { key: prefix + key, ...(ttl ? { ttl: String(Math.ceil(ttl)) } : {}) }, {
      method: "PUT",
      body,
    });
  };
  return {
    name: "svc-kv",
    hasItem: async (key) => {
      const response = await read(key);
      await response?.body?.cancel();
      return response !== undefined;
    },
    getItem: async (key) => await (await read(key))?.text() ?? null,
    getItemRaw: async (key) => {
      const response = await read(key);
      return response === undefined ? null : new Uint8Array(await response.arrayBuffer());
    },
    setItem: (key, value, options) => write(key, String(value), options),
    setItemRaw: (key, value, options) => write(key, value, options),
    removeItem: async (key) => {
      await ask("/v1/value", { key: prefix + key }, { method: "DELETE" });
    },
    getKeys: async (base = "") => {
      const keys = [];
      for (let cursor; cursor !== null;) {
        const response = await ask("/v1/values", {
          prefix: prefix + base,
          limit: "1000",
          ...(cursor ? { cursor } : {}),
        });
        const page = await response.json();
        keys.push(...page.items.map(({ key }) => key.slice(prefix.length)));
        cursor = page.cursor;
      }
      return keys;
    },
    clear: async (base = "") => {
      await ask("/v1/values", { prefix: prefix + base }, { method: "DELETE" });
    },
  };
}
`;

/** Matches Nitro's default mount for data on disk. */
const NITRO_MOUNT =
  /(\.mount\(\s*(["'])data\2\s*,\s*)([\w$]+\(\{\s*"?driver"?:\s*"fs-?[Ll]ite",\s*"?base"?:\s*"\.\/\.data\/kv"\s*\}\))/;

/**
 * Changes code so that Nitro's default storage uses the project's store. Returns `undefined` if the
 * code has no such storage.
 */
export function keepNitroStorage(text: string): string | undefined {
  if (!NITRO_MOUNT.test(text)) return undefined;
  const kept = text.replace(
    NITRO_MOUNT,
    (_, mount, _quote, own) => `${mount}__svcStorage("nitro:") ?? ${own}`,
  );
  return `${kept}\n${STORAGE_DRIVER}`;
}

/** Matches Astro's module that sets the session driver, if it is the default driver. */
const ASTRO_DRIVER = /^import (\w+) from ["']unstorage\/drivers\/fs(?:-lite)?["'];?$/m;
const ASTRO_EXPORT = /export \{ *(\w+) as default *\};?/;

/** Abandoned sessions expire after 30 days. */
const SESSION_SECONDS = 30 * 24 * 60 * 60;

/**
 * Changes code so that Astro's default session storage uses the project's store. Returns
 * `undefined` for all other modules.
 */
export function keepAstroSessions(text: string): string | undefined {
  if (!ASTRO_DRIVER.test(text) || !ASTRO_EXPORT.test(text)) return undefined;
  const kept = text.replace(ASTRO_EXPORT, (_, own) =>
    `const __svcSessions = (options) => ` +
    `__svcStorage("astro-session:", ${SESSION_SECONDS}) ?? ${own}(options);\n` +
    `export { __svcSessions as default };`);
  return `${kept}\n${STORAGE_DRIVER}`;
}
