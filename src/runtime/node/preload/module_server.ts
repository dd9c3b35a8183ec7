/**
 * @module Creates servers for modules that export an app, an object with `fetch`, or a function.
 */
import { getRequestListener } from "@hono/node-server";
import { createServer, type IncomingMessage, Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";

type Fetch = (request: Request) => Response | Promise<Response>;
type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The properties of a module's export by which an app is recognized. */
interface Exported {
  readonly default?: unknown;
  readonly fetch?: unknown;
  /** Identifies a Koa app. */
  readonly callback?: unknown;
  /** Identifies a Fastify app, together with `routing`. */
  readonly ready?: unknown;
  readonly routing?: unknown;
  /** Identifies a Polka app or, together with `stack`, an h3 app. */
  readonly handler?: unknown;
  readonly stack?: unknown;
}

/** Sets the client's protocol on the connection, because the listener uses it to create the URL. */
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

const isFunction = (value: unknown): value is (...args: unknown[]) => unknown =>
  typeof value === "function";

/** Prepares a listener. This can take a while. */
type Prepare = () => Listener | Promise<Listener>;

/** Determines how to serve an app. Returns `undefined` for an unknown kind of export. */
function prepareApp(app: Exported & object, entry: string): Prepare | undefined {
  const { fetch, callback, ready, routing, handler, stack } = app;
  const call = (method: (...args: unknown[]) => unknown, ...args: unknown[]) =>
    method.apply(app, args);
  if (isFunction(fetch)) return () => listenerOf((request) => call(fetch, request) as Response);
  if (isFunction(ready) && isFunction(routing)) {
    return async () => {
      await call(ready);
      return (request, response) => call(routing, request, response);
    };
  }
  if (isFunction(callback)) return () => call(callback) as Listener;
  if (isFunction(handler) && Array.isArray(stack)) {
    return () => {
      const { toNodeListener } = createRequire(entry)("h3") as {
        readonly toNodeListener: (app: unknown) => Listener;
      };
      return toNodeListener(app);
    };
  }
  if (isFunction(handler)) return () => (request, response) => call(handler, request, response);
  return undefined;
}

/**
 * Determines how to serve a function. With one parameter, the function receives a `Request`; with
 * more parameters, it receives the arguments of a node:http listener.
 */
const prepareFunction = (exported: (...args: unknown[]) => unknown): Prepare => () =>
  exported.length > 1 ? exported as Listener : listenerOf(exported as Fetch);

/**
 * Determines how to serve a module from its exports.
 *
 * @param options absolute path of the module, and the address of its server
 * @returns a function that starts the server, or `undefined` if the module exports no server
 */
export function findModuleServer(
  exported: unknown,
  { entry, port }: { readonly entry: string; readonly port: number },
): (() => Promise<void>) | undefined {
  if (exported instanceof Server) {
    return () => Promise.resolve(void exported.listen(port));
  }
  if (typeof exported !== "object" && !isFunction(exported) || exported === null) return undefined;
  const prepare = prepareApp(exported, entry) ??
    (isFunction(exported) ? prepareFunction(exported) : undefined);
  if (prepare !== undefined) {
    return async () => {
      const listener = await prepare();
      createServer((request, response) => void listener(request, response)).listen(port);
    };
  }
  const inner = (exported as Exported).default;
  return inner === undefined || inner === exported
    ? undefined
    : findModuleServer(inner, { entry, port });
}
