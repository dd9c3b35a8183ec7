/**
 * @module The module that starts Next.js's standalone server, and replaces the `server.js` that the
 * build writes. The server is the same, but its cache needs no writable folder, and the edge can
 * cache its responses.
 *
 * The code is JavaScript for Node 20 and later, and uses no package other than Next.js.
 */
import { ANSWERS, PAGE_CACHE } from "./next_page_cache.ts";

/** The properties of a build that the launcher needs. */
interface LaunchFacts {
  /** `distDir` in Next.js's config, relative to the app's folder. */
  readonly distDir: string;
  /**
   * Regular expressions for paths whose responses can depend on more than the URL, because of
   * middleware or rules for cookies or headers. The edge does not cache these responses.
   */
  readonly personal: readonly string[];
}

/**
 * Request headers that only a Next.js host may set. Different versions of Next.js drop different
 * headers.
 */
const INTERNAL_FIELDS = String
  .raw`/^(?:x-middleware-|x-now-|x-invoke-|x-matched-path$|next-resume$|x-next-resume-state-length$)/`;

/**
 * Passes the visitor's host and port to Next.js. Otherwise, Next.js would use localhost in each
 * `request.url`.
 */
const ADDRESS = String.raw`
function readAddress({ headers }) {
  const scheme = String(headers["x-forwarded-proto"]).includes("https") ? "https" : "http";
  const { hostname, port } = new URL(scheme + "://" + headers.host);
  return { hostname, port: port || (scheme === "https" ? "443" : "80") };
}

function address() {
  const answer = answers.getStore();
  if (answer === undefined) return { hostname: "localhost", port: process.env.PORT };
  return answer.address ??= readAddress(answer.request);
}
`;

/**
 * After a redirect by a server action, Next.js requests the target page from its own server. This
 * code handles the request without the network.
 */
const OWN_REQUESTS = String.raw`
const own = "http://localhost:" + process.env.PORT;
process.env.__NEXT_PRIVATE_ORIGIN = own;

async function fetchOwn(request) {
  const { createRequestResponseMocks } = require("next/dist/server/lib/mock-request");
  const { host, pathname, search } = new URL(request.url);
  const { req, res } = createRequestResponseMocks({
    url: pathname + search,
    method: request.method,
    headers: { host, ...Object.fromEntries(request.headers) },
    ...(request.body === null ? {} : { bodyReadable: Readable.fromWeb(request.body) }),
  });
  await answers.run(newAnswer(req), () => handlers.requestHandler(req, res));
  await res.hasStreamed;
  const body = Buffer.concat(res.buffers);
  return new Response(body.length === 0 ? null : body, {
    status: res.statusCode,
    headers: res.headers,
  });
}

const fetchOthers = globalThis.fetch;
globalThis.fetch = function fetch(resource, options) {
  const url = resource instanceof Request ? resource.url : String(resource);
  return url.startsWith(own + "/")
    ? fetchOwn(new Request(resource, options))
    : fetchOthers.call(this, resource, options);
};
`;

/** Starts Next.js and listens like Next.js's own start-server.js. */
const START = String.raw`
process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(config);
require("next");
const { getRequestHandlers } = require("next/dist/server/lib/start-server");

const server = createServer(async (request, response) => {
  try {
    await handlers.requestHandler(request, response);
  } catch (error) {
    console.error(error);
    if (!response.headersSent) response.statusCode = 500;
    response.end();
  }
});
server.on("upgrade", async (request, socket, head) => {
  try {
    await handlers.upgradeHandler(request, socket, head);
  } catch (error) {
    console.error(error);
    socket.destroy();
  }
});
const keepAliveTimeout = Number.parseInt(process.env.KEEP_ALIVE_TIMEOUT ?? "", 10);
if (keepAliveTimeout >= 0) server.keepAliveTimeout = keepAliveTimeout;

const made = await getRequestHandlers({
  dir,
  isDev: false,
  server,
  hostname: { toString: () => address().hostname },
  port: { toString: () => address().port },
  ...(keepAliveTimeout >= 0 ? { keepAliveTimeout } : {}),
});
const handlers = Array.isArray(made)
  ? { requestHandler: made[0], upgradeHandler: made[1], server: made[2] }
  : made;

process.once("SIGTERM", () => {
  server.close(async () => {
    // Runs the callbacks of "after()" first.
    await handlers.server?.close?.();
    process.exit(0);
  });
  server.closeIdleConnections();
});
server.listen(Number(process.env.PORT), process.env.HOST);
`;

/** Returns the code of the module that starts the server. */
export function nextLauncher({ distDir, personal }: LaunchFacts): string {
  return `import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, Server } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";

const dir = import.meta.dirname ?? fileURLToPath(new URL(".", import.meta.url));
const distDir = join(dir, ${JSON.stringify(distDir)});
process.env.NODE_ENV = "production";
process.chdir(dir);
const require = createRequire(import.meta.url);
const INTERNAL_FIELDS = ${INTERNAL_FIELDS};
const personal = ${JSON.stringify(personal)}.map((source) => new RegExp(source, "i"));
const settings = JSON.parse(readFileSync(join(distDir, "required-server-files.json"), "utf8")).config;
${PAGE_CACHE}${ANSWERS}
const config = {
  ...settings,
  distDir: ${JSON.stringify(`./${distDir}`)},
  cacheHandler: fileURLToPath(import.meta.url),
  cacheMaxMemorySize: settings.cacheHandler
    ? settings.cacheMaxMemorySize
    : settings.cacheMaxMemorySize || 50 * 1024 * 1024,
  // The server's own folder is read-only, so pages stay in memory, and at the edge.
  // Loads each page when it is first requested, instead of all pages at the start.
  experimental: {
    ...settings.experimental,
    isrFlushToDisk: false,
    preloadEntriesOnStart: false,
  },
};
${ADDRESS}${OWN_REQUESTS}${START}`;
}
