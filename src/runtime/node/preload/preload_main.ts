/**
 * @module Runs in a Node process before the server's own code. Redirects the server's `listen` to
 * the process's Unix socket, and the server's output to the log. This module is bundled into one
 * file, which Node loads with `--require`.
 */
import process from "node:process";
import { setImmediate } from "node:timers";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { cleanStack } from "../../compute/engine/clean_stack.ts";
import { defineRevalidate, type TakeAnswer } from "../../compute/engine/revalidate.ts";
import { ServerAddress } from "../../compute/engine/address.ts";
import { fromPayload } from "../../process/frames/payload.ts";
import { LineLimit } from "../../process/frames/log_lines.ts";
import { truncate } from "../../compute/lines.ts";
import { ComputeFrame } from "../../compute/wire.ts";
import { Control } from "./control.ts";
import { exitNow, watchEnd } from "./ends.ts";
import { captureOutput } from "./output.ts";
import { allowTypeOfService } from "./further_sockets.ts";
import { prepareOwnRequests } from "./own_requests.ts";
import { redirectServers, refusedProtocol } from "./servers.ts";
import type { NodeListening, PreloadStart } from "./start.ts";

/** Defined in the first line of the file. */
declare const svcStart: PreloadStart;
/** Path of this file, passed by Node's module wrapper. */
declare const __filename: string;

/** Maximum number of log lines per second; further lines are dropped here. */
const MAX_LINES_PER_SECOND = 2000;

function openControl(
  path: string,
  on: {
    readonly ping: (id: number) => void;
    readonly terminate: () => void;
    readonly revalidated: TakeAnswer;
  },
): Control {
  return new Control({
    path,
    take: ({ type, id, payload }) => {
      if (type === ComputeFrame.ping) on.ping(id);
      else if (type === ComputeFrame.terminate) on.terminate();
      else if (type === ComputeFrame.revalidated) on.revalidated(id, fromPayload(payload));
    },
    closed: () => exitNow(1),
  });
}

/** Stops the server because of an error in its module, like an uncaught error. */
function throwUncaught(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}

/** Serves a module that only exports a handler, once it has been loaded. */
async function serveExports(
  { entry, port }: { readonly entry: string; readonly port: number },
  address: ServerAddress,
): Promise<void> {
  const { default: exported } = await import(pathToFileURL(entry).href) as {
    readonly default?: unknown;
  };
  if (address.taken) return;
  const { findModuleServer } = await import("./module_server.ts");
  const serve = findModuleServer(exported, { entry, port });
  if (serve === undefined) return;
  if (typeof exported === "object" && typeof Reflect.get(exported ?? {}, "fetch") === "function") {
    return await serve();
  }
  // The module may be part of a server that listens later, so this waits until nothing is left to
  // do.
  process.once("beforeExit", () => {
    if (!address.taken) serve().catch(throwUncaught);
  });
}

/** Connects to the process that started this one and reports everything to it from now on. */
function attach(start: PreloadStart): (listening: NodeListening) => void {
  const limit = new LineLimit(MAX_LINES_PER_SECOND);
  const describe = (text: string): string =>
    truncate(cleanStack(text, { directory: start.directory, own: [__filename] }));
  let listened = false;
  const terminate = watchEnd({
    listened: () => listened,
    ended: (message) => control.send(ComputeFrame.ended, { message }),
    describe,
    hasOwnSignals: start.entry === undefined,
  });
  const control = openControl(start.control, {
    ping: (id) => control.send(ComputeFrame.pong, {}, id),
    terminate,
    revalidated: (id, answer) => takeAnswer(id, answer),
  });
  captureOutput({
    log: (entry) => {
      if (limit.take(performance.now()).passes) control.send(ComputeFrame.log, entry);
    },
    describe,
  });
  const takeAnswer = defineRevalidate((id, what) =>
    control.send(ComputeFrame.revalidate, what, id)
  );
  control.send(ComputeFrame.booted, { runtime: `Node ${process.versions.node}` });
  return (listening) => {
    listened = true;
    control.send(ComputeFrame.listening, listening);
  };
}

/** Redirects servers to the address of this process's server. */
function redirect(
  start: PreloadStart,
  on: { readonly taken: () => void; readonly listening: (listening: NodeListening) => void },
): ServerAddress {
  const address = new ServerAddress(start.socket, {
    port: start.port,
    host: start.host,
    greets: true,
    others: true,
    taken: on.taken,
    listening: (how, server = {}) => {
      const refused = refusedProtocol(server)?.message;
      on.listening(refused === undefined ? how : { ...how, refused });
    },
  });
  redirectServers(address);
  prepareOwnRequests(start.hosts);
  return address;
}

/**
 * Prepares a worker, which listens on additional ports that only the server's own threads and
 * processes can reach.
 */
function prepareWorker({ socket, port, host, hosts }: PreloadStart): void {
  redirectServers(
    new ServerAddress(socket, { port, host, others: true, own: false, listening: () => {} }),
  );
  prepareOwnRequests(hosts);
}

/** Prepares a process that is the server. */
function prepare(start: PreloadStart, entry: string): void {
  const listening = attach(start);
  const address = redirect(start, { taken: () => {}, listening });
  process.execArgv = [];
  setImmediate(() => void serveExports({ entry, port: start.port }, address).catch(throwUncaught));
}

/** Prepares a process that may become the server, start it, or do something else. */
function prepareCommand(start: PreloadStart, preload: string): void {
  let listening: ReturnType<typeof attach> | undefined;
  redirect(start, {
    taken: () => listening ??= attach(start),
    listening: (what) => listening?.(what),
  });
  const { NODE_OPTIONS: options = "" } = process.env;
  // A script may have replaced the options, but a server in a child process needs the preload.
  if (!options.includes(preload)) {
    process.env.NODE_OPTIONS = `${options} --require ${preload}`.trim();
  }
}

const LOADED = Symbol.for("svc.preload");

// A command may load this file twice.
if (!Reflect.has(globalThis, LOADED)) {
  Object.defineProperty(globalThis, LOADED, { value: true });
  allowTypeOfService();
  const { entry, preload } = svcStart;
  if (!isMainThread) prepareWorker(svcStart);
  else if (entry !== undefined) prepare(svcStart, entry);
  else if (preload !== undefined) prepareCommand(svcStart, preload);
}
