/**
 * @module Building blocks for a framework's {@link Launch}: how a server listens at the required
 * address, and learns the client's IP address.
 */

/** Text that sets variables that the author has not set. */
export function setDefaults(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `process.env.${name} ??= ${JSON.stringify(value)};`)
    .join("\n");
}

/**
 * The edge ends TLS and reports it, and the client, in fields that it alone sets; some frameworks
 * look at the socket instead. This code makes the socket report the same.
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

/** Text of a module that serves with a request listener which the entry exports. */
export function serveListener(file: string, listener: string): string {
  return `import { createServer } from "node:http";
import * as entry from ${JSON.stringify(`./${file}`)};
const listener = ${listener};
createServer((request, response) => listener(request, response))
  .listen(Number(process.env.PORT), process.env.HOST);
`;
}
