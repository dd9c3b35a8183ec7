/**
 * @module The worker that one function of a deployment runs in. The process's main thread sends it
 * the platform's address once. Everything else arrives on the worker's own connection: first its
 * source, name and variables, then the calls.
 */
import type { Frame } from "../../process/frames/frame.ts";
import type { FrameConnection } from "../../process/frames/frame_connection.ts";
import { fromPayload } from "../../process/frames/payload.ts";
import {
  FunctionFrame,
  type InvokeHead,
  type LogHead,
  type WorkerIdentity,
  type WorkerStart,
} from "../wire.ts";
import { beginCall, type BegunCell } from "../begun_calls.ts";
import { currentCall } from "./call.ts";
import { type Handler, WorkerCalls } from "./calls.ts";
import { connectWorker } from "./connect_worker.ts";
import { makeConsole } from "./console.ts";
import { describeError, nameModule } from "./describe_error.ts";
import { WorkerFetch } from "./fetch.ts";
import { createFunctionDatabase } from "./database.ts";
import { createFunctionKv } from "./kv.ts";
import { createFunctionQueue } from "./queue.ts";
import { WorkerLink } from "./link.ts";
import { leftovers, lockDown } from "./lockdown.ts";

interface WorkerScope {
  addEventListener(type: string, listener: (event: Event) => void): void;
  close(): void;
}

const scope = globalThis as unknown as WorkerScope;
const listen = scope.addEventListener.bind(globalThis);
const closeScope = scope.close.bind(globalThis);

const NativeMessageEvent = MessageEvent;

let link: WorkerLink;
let fetcher: WorkerFetch;
let calls: WorkerCalls | undefined;
let begun: BegunCell;

const log = (entry: LogHead): void => link.sendHead(FunctionFrame.log, 0, entry);

const logWithCall = (entry: LogHead): void => {
  const call = currentCall.getStore() ?? calls?.only();
  log(call === undefined ? entry : { ...entry, call: call.id });
};

function report(error: unknown, call: number | undefined): void {
  const { message, stack } = describeError(error);
  log({
    level: "error",
    message,
    stack,
    call,
  });
}

/**
 * Handles an uncaught error. If the call is known and still running, fails the call; otherwise,
 * logs the error.
 */
function takeUncaught(event: Event, error: unknown): void {
  event.preventDefault();
  const call = currentCall.getStore() ?? calls?.only();
  if (call === undefined || call.answered) report(error, call?.id);
  else calls?.fail(call, error);
}

function replaceGlobals(): void {
  const made: Record<string, unknown> = { console: makeConsole(logWithCall), fetch: fetcher.fetch };
  for (const [name, value] of Object.entries(made)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}

/** Returns the bundle as a module URL that needs no permission to load. */
function moduleUrl(source: string): string {
  return `data:text/javascript;base64,${new TextEncoder().encode(source).toBase64()}`;
}

async function load({ source, name, env }: WorkerStart): Promise<void> {
  const url = moduleUrl(source);
  nameModule(url);
  lockDown();
  replaceGlobals();
  const left = leftovers();
  if (left.length > 0) throw new Error(`Global properties were not removed: ${left.join(", ")}`);
  const module: Readonly<Record<string, unknown>> = await import(url);
  const handler = module.default;
  if (typeof handler !== "function") {
    throw new TypeError(`Function "${name}" has no default export that is a function`);
  }
  calls = new WorkerCalls({
    link,
    handler: handler as Handler,
    env: Object.freeze({ ...env }),
    kv: createFunctionKv(fetcher.fetchKv),
    queue: createFunctionQueue(fetcher.fetchKv),
    database: createFunctionDatabase(fetcher.fetchDatabase),
    report,
  });
}

/**
 * Whether the worker has been told to load its function. A function can forge its worker's input,
 * but cannot load a second module.
 */
let isStarted = false;

function take(frame: Frame): void {
  const { type, id, payload } = frame;
  if (type === FunctionFrame.start) {
    if (isStarted) return;
    isStarted = true;
    load(fromPayload<WorkerStart>(payload)).then(
      () => link.send(FunctionFrame.ready, 0),
      (error) => link.sendHead(FunctionFrame.broken, 0, describeError(error)),
    );
  } else if (type === FunctionFrame.invoke) {
    if (beginCall(begun, id)) {
      calls?.invoke(id, fromPayload<InvokeHead>(payload)).catch(reportError);
    }
  } else if (type === FunctionFrame.cancel) calls?.cancel(id);
  else if (!fetcher.take(frame)) link.takeBodyFrame(frame);
}

/** Serves the platform until either side closes the connection, then stops the worker. */
async function serve(connection: FrameConnection): Promise<void> {
  link = new WorkerLink(connection);
  fetcher = new WorkerFetch(link, () => calls?.only());
  listen("error", (event) => takeUncaught(event, (event as ErrorEvent).error));
  listen(
    "unhandledrejection",
    (event) => takeUncaught(event, (event as PromiseRejectionEvent).reason),
  );
  try {
    await connection.receive(take);
  } finally {
    connection.close();
    closeScope();
  }
}

let isIntroduced = false;
listen("message", (event) => {
  event.stopImmediatePropagation();
  if (isIntroduced || !(event instanceof NativeMessageEvent)) return;
  isIntroduced = true;
  const identity = event.data as WorkerIdentity;
  begun = identity.begun;
  // An error before the worker has connected stops the worker, and the process reports it.
  connectWorker(identity).then(serve).catch(reportError);
});
