/**
 * The thread in which the server of a deployment runs. It is prepared here,
 * then the deployment's own code is loaded: nothing below may rely on what
 * that code can reach.
 *
 * @module
 */
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { ServerStart } from "../wire.ts";
import { ServerAddress } from "./address.ts";
import { closeInternals } from "./close_internals.ts";
import { serveModule, takeDenoServers } from "./deno_servers.ts";
import { describeError } from "./describe_error.ts";
import type { Send, ToWorker } from "./messages.ts";
import { takeDatagrams } from "./node_datagrams.ts";
import { takeNodeServers } from "./node_servers.ts";
import { takeOutput } from "./output.ts";
import { takeSignals, type TellSignal } from "./signals.ts";

function setEnvironment({ env, port, host }: ServerStart): void {
  for (const name of Object.keys(Deno.env.toObject())) Deno.env.delete(name);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  Deno.env.set("PORT", String(port));
  Deno.env.set("HOST", host);
}

/** Nothing more runs in this thread: the one beside it ends the process. */
function halt(): never {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) Atomics.wait(nothing, 0, 0);
}

/** The end of the server is told, whichever way it takes. */
function tellExits(send: Send): void {
  const told = (name: string) => (code?: unknown): never => {
    const number = Number(code ?? process.exitCode ?? 0) || 0;
    try {
      if (name === "process.exit") process.emit("exit", number);
    } finally {
      send({ type: "ended", message: `The server called ${name}(${number})` });
      halt();
    }
  };
  Reflect.set(process, "exit", told("process.exit"));
  Reflect.set(process, "reallyExit", told("process.reallyExit"));
  Reflect.set(process, "abort", told("process.abort"));
  Reflect.set(Deno, "exit", told("Deno.exit"));
  Reflect.set(globalThis, "close", told("close"));
}

function tellErrors(send: Send, directory: string): void {
  const tell = (error: unknown): void =>
    send({ type: "error", message: describeError(error, directory) });
  globalThis.addEventListener("error", (event) => tell(event.error));
  globalThis.addEventListener("unhandledrejection", (event) => tell(event.reason));
}

interface Prepared {
  /** Loads the server's code. */
  readonly load: () => Promise<void>;
  readonly tellSignal: TellSignal;
}

/** Prepares the thread for the server's code. */
function prepare(start: ServerStart, socket: string, send: Send): Prepared {
  const entry = join(start.directory, start.entry);
  setEnvironment(start);
  process.argv.splice(0, process.argv.length, Deno.execPath(), entry);
  Object.defineProperty(Deno, "args", { value: [] });
  takeOutput(send, start.directory);
  tellErrors(send, start.directory);
  tellExits(send);
  const address = new ServerAddress(socket, { port: start.port, host: start.host, send });
  takeNodeServers(address);
  takeDatagrams();
  takeDenoServers(address);
  const tellSignal = takeSignals();
  closeInternals();
  const load = async () => {
    try {
      const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(entry).href);
      if (!address.taken) serveModule(module);
    } catch (error) {
      send({ type: "ended", message: describeError(error, start.directory) });
    }
  };
  return { load, tellSignal };
}

globalThis.addEventListener("message", (event) => {
  event.stopImmediatePropagation();
  const port = (event as MessageEvent<MessagePort>).data;
  const post = port.postMessage.bind(port);
  const send: Send = (message) => post(message);
  let prepared: Prepared;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "ping") send({ type: "pong", id: data.id });
    else if (data.type === "load") void prepared.load();
    else if (data.type === "terminate") {
      if (!prepared.tellSignal("SIGTERM")) send({ type: "ended", message: "Told to end" });
    } else {
      prepared = prepare(data.start, data.socket, send);
      send({ type: "prepared" });
    }
  };
}, { once: true });
