/**
 * Servers of modules that only say how to answer: `export default { fetch }`, or
 * a function.
 *
 * @module
 */
import { getRequestListener } from "@hono/node-server";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

type Fetch = (request: Request) => Response | Promise<Response>;
type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The listener shows URLs by the protocol of the connection, and this is the client's. */
function markSecure({ headers, socket }: IncomingMessage): void {
  const value = headers["x-forwarded-proto"] === "https";
  Object.defineProperty(socket, "encrypted", { value, configurable: true });
}

function listenerOf(fetch: Fetch): Listener {
  const listener = getRequestListener((request) => fetch(request), {
    overrideGlobalObjects: false,
  });
  return (request, response) => {
    markSecure(request);
    return listener(request, response);
  };
}

/** A function of one parameter takes a `Request`; one of more takes those of node:http. */
export function serveModule(handler: { readonly fetch: Fetch } | Fetch | Listener): void {
  const listener = typeof handler !== "function"
    ? listenerOf((request) => handler.fetch(request))
    : handler.length > 1
    ? handler as Listener
    : listenerOf(handler as Fetch);
  createServer((request, response) => void listener(request, response)).listen();
}
