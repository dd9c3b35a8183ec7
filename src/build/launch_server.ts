/**
 * How the servers that frameworks make listen where the platform asks them to,
 * and learn who the client is.
 *
 * @module
 */
import type { Launcher } from "../manifest/mod.ts";

export interface Launch {
  /** Text that runs before the server's own code. */
  readonly prelude?: string;
  /** Text of a module in place of the entry; it imports the entry as `file`. */
  readonly wrapper?: (file: string) => string;
}

/** Sets variables that the author has not set. */
function defaults(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `process.env.${name} ??= ${JSON.stringify(value)};`)
    .join("\n");
}

/**
 * The edge ends TLS and tells of it, and of the client, in fields that it alone
 * sets; these frameworks look at the socket.
 */
const TELL_SOCKET = `import { Server as __svcServer } from "node:http";
const __svcEmit = __svcServer.prototype.emit;
__svcServer.prototype.emit = function (name, request, ...rest) {
  if (name === "request" || name === "upgrade") {
    const { "x-forwarded-proto": scheme, "x-forwarded-for": client } = request.headers;
    const told = { encrypted: scheme === "https", remoteAddress: client };
    for (const [name, value] of Object.entries(told)) {
      Object.defineProperty(request.socket, name, { value, configurable: true, writable: true });
    }
  }
  return __svcEmit.call(this, name, request, ...rest);
};`;

/** Serves with a request listener that the entry has. */
const serveListener = (file: string, listener: string): string =>
  `import { createServer } from "node:http";
import * as entry from ${JSON.stringify(`./${file}`)};
const listener = ${listener};
createServer((request, response) => listener(request, response))
  .listen(Number(process.env.PORT), process.env.HOST);
`;

const LAUNCHES: Readonly<Record<Launcher, Launch>> = {
  astro: {
    prelude: `${defaults({ ASTRO_NODE_AUTOSTART: "disabled" })}\n${TELL_SOCKET}`,
    // Without a next listener, Astro answers what it does not know with its own 404 page.
    wrapper: (file) => serveListener(file, "entry.handler"),
  },
  sveltekit: {
    prelude: defaults({
      PROTOCOL_HEADER: "x-forwarded-proto",
      HOST_HEADER: "x-forwarded-host",
      ADDRESS_HEADER: "x-forwarded-for",
    }),
  },
  nitro: { prelude: TELL_SOCKET },
  "nitro-middleware": {
    prelude: TELL_SOCKET,
    wrapper: (file) =>
      serveListener(file, "entry.middleware ?? entry.listener ?? entry.handler ?? entry.default"),
  },
};

/** What a server needs around its entry; nothing for servers that are not known. */
export function launchOf(launcher: Launcher | undefined): Launch {
  return launcher === undefined ? {} : LAUNCHES[launcher];
}
