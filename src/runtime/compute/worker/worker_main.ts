/**
 * @module The thread of a deployment's server. The thread is prepared here before the deployment's
 * code is loaded. Code that runs later must not rely on anything that the deployment's code can
 * change.
 */
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { defineRevalidate, type TakeAnswer } from "../engine/revalidate.ts";
import { ServerAddress } from "../engine/address.ts";
import type { ServerStart } from "../wire.ts";
import { closeInternals } from "./close_internals.ts";
import { redirectDenoServers, serveModule } from "./deno_servers.ts";
import { describeError } from "./describe_error.ts";
import type { Send, ToWorker } from "./messages.ts";
import { catchDatagramErrors } from "./node_datagrams.ts";
import { shapeLikeNode } from "./node_globals.ts";
import { redirectNodeServers } from "./node_servers.ts";
import { prepareOwnRequests } from "./own_requests.ts";
import { captureOutput } from "./output.ts";
import { describePermissions } from "./permission_errors.ts";
import { type EmitSignal, separateSignals } from "./signals.ts";

/** Variables that name the folder for temporary files. */
const TMP_VARIABLES = ["TMPDIR", "TMP", "TEMP"] as const;

function setEnvironment({ env, port, host }: ServerStart, tmp: string): void {
  for (const name of Object.keys(Deno.env.toObject())) Deno.env.delete(name);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  Deno.env.set("PORT", String(port));
  Deno.env.set("HOST", host);
  for (const name of TMP_VARIABLES) Deno.env.set(name, tmp);
}

/** Stops this thread permanently; the process's first thread then exits the process. */
function halt(): never {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) Atomics.wait(nothing, 0, 0);
}

/** Reports the server's end, regardless of its cause. */
function reportExits(send: Send): void {
  const exit = (name: string) => (code?: unknown): never => {
    const number = Number(code ?? process.exitCode ?? 0) || 0;
    try {
      if (name === "process.exit") process.emit("exit", number);
    } finally {
      send({ type: "ended", message: `The server called ${name}(${number})` });
      halt();
    }
  };
  Reflect.set(process, "exit", exit("process.exit"));
  Reflect.set(process, "reallyExit", exit("process.reallyExit"));
  Reflect.set(process, "abort", exit("process.abort"));
  Reflect.set(Deno, "exit", exit("Deno.exit"));
  Reflect.set(globalThis, "close", exit("close"));
}

function reportErrors(send: Send, directory: string): void {
  const report = (error: unknown): void =>
    send({ type: "error", message: describeError(error, directory) });
  globalThis.addEventListener("error", (event) => report(event.error));
  globalThis.addEventListener("unhandledrejection", (event) => report(event.reason));
}

type Start = Extract<ToWorker, { readonly type: "start" }>;

interface Prepared {
  /** Loads the server's code. */
  readonly load: () => void;
  readonly emitSignal: EmitSignal;
  readonly takeAnswer: TakeAnswer;
}

/** Prepares the thread for the server's code. */
function prepare({ start, socket, tmp }: Start, send: Send): Prepared {
  const entry = join(start.directory, start.entry);
  setEnvironment(start, tmp);
  process.argv.splice(0, process.argv.length, Deno.execPath(), entry);
  Object.defineProperty(Deno, "args", { value: [] });
  captureOutput(send, start.directory);
  reportErrors(send, start.directory);
  reportExits(send);
  const address = new ServerAddress(socket, {
    port: start.port,
    host: start.host,
    listening: () => send({ type: "listening" }),
  });
  redirectNodeServers(address);
  catchDatagramErrors();
  redirectDenoServers(address);
  prepareOwnRequests(start.hosts);
  const emitSignal = separateSignals();
  const takeAnswer = defineRevalidate((id, what) => send({ type: "revalidate", id, what }));
  closeInternals();
  describePermissions();
  shapeLikeNode(tmp);
  const load = () => {
    import(pathToFileURL(entry).href).then((module: Readonly<Record<string, unknown>>) => {
      if (!address.taken) serveModule(module);
    }).catch((error) => send({ type: "ended", message: describeError(error, start.directory) }));
  };
  return { load, emitSignal, takeAnswer };
}

globalThis.addEventListener("message", (event) => {
  event.stopImmediatePropagation();
  const port = (event as MessageEvent<MessagePort>).data;
  const post = port.postMessage.bind(port);
  const send: Send = (message) => post(message);
  let prepared: Prepared;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "ping") send({ type: "pong", id: data.id });
    else if (data.type === "load") prepared.load();
    else if (data.type === "revalidated") prepared.takeAnswer(data.id, data.answer);
    else if (data.type === "terminate") {
      if (!prepared.emitSignal("SIGTERM")) {
        send({ type: "ended", message: "The platform asked the server to stop" });
      }
    } else {
      prepared = prepare(data, send);
      send({ type: "prepared" });
    }
  };
}, { once: true });
