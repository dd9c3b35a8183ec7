/**
 * @module Building blocks for a framework's {@link Launch}. They make a server listen on the
 * required address, and tell the server the client's IP address.
 */

/** Returns code that sets environment variables, unless the author has set them. */
export function setDefaults(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `process.env.${name} ??= ${JSON.stringify(value)};`)
    .join("\n");
}

/**
 * The edge terminates TLS and reports the protocol and the client in header fields that only it can
 * set. Some frameworks look at the socket instead, so this code sets the same values on the socket.
 */
export const FORWARDED_SOCKET = `import { Server as __svcServer } from "node:http";
const __svcEmit = __svcServer.prototype.emit;
__svcServer.prototype.emit = function (name, request, ...rest) {
  if (name === "request" || name === "upgrade") {
    const { "x-forwarded-proto": scheme, "x-forwarded-for": client } = request.headers;
    const values = { encrypted: scheme === "https", remoteAddress: client };
    for (const [name, value] of Object.entries(values)) {
      Object.defineProperty(request.socket, name, { value, configurable: true, writable: true });
    }
  }
  return __svcEmit.call(this, name, request, ...rest);
};`;

/** Returns the code of a module that serves requests with a listener exported by the entry. */
export function serveListener(file: string, listener: string): string {
  return `import { createServer } from "node:http";
import * as entry from ${JSON.stringify(`./${file}`)};
const listener = ${listener};
createServer((request, response) => listener(request, response))
  .listen(Number(process.env.PORT), process.env.HOST);
`;
}
