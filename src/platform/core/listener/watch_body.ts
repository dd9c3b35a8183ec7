/** Request bodies whose progress is watched. @module */

import { announcesContent, withoutBody } from "../../../lib/announced_content.ts";
import { hasField } from "../../../lib/raw_fields.ts";
import { isStreamed, isWhole } from "../../../lib/whole_answer.ts";

/** Methods whose request bodies are not read. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * Maximum size of a body to read in one piece, in bytes. The whole body must arrive within the time
 * that a longer body may go without progress.
 */
const MAX_AT_ONCE = 64 * 1024;

/** Maximum number of bytes to read from the rest of a body, and the time limit in milliseconds. */
const MAX_REST = 16 * 1024 * 1024;
const REST_MS = 2000;

const READS = ["arrayBuffer", "blob", "bytes", "formData", "json", "text"] as const;

/**
 * Called when more of a body is needed. Returns an object whose `over` is called when the data has
 * arrived.
 */
type Awaits = () => { over(): void };

/**
 * Returns the request for its handler: without a body if it has none, otherwise with a body whose
 * reads are reported. On a `shared` connection (HTTP/2), headers need not announce a body.
 */
export function watchRequest(
  request: Request,
  { shared, awaits }: { readonly shared: boolean; readonly awaits: Awaits },
): Request {
  if (BODILESS.has(request.method)) return request;
  return shared || announcesContent(request.headers)
    ? watchBody(request, awaits)
    : withoutBody(request);
}

/**
 * Returns a request whose reads are reported: the runtime's own object for a short body, otherwise
 * a copy.
 */
export function watchBody(request: Request, awaits: Awaits): Request {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) <= MAX_AT_ONCE) return watchReads(request, awaits);
  const { body } = request;
  if (body === null) return request;
  const copy: Request & { [REST]?: Promise<void> } = new Request(request, {
    body: watched(body, { awaits, waits: waitsFor(request) }, (rest) => void (copy[REST] = rest)),
  });
  return copy;
}

const OWN_BODY = Object.getOwnPropertyDescriptor(Request.prototype, "body")!.get!;

const AWAITS = Symbol("awaits");
const STREAM = Symbol("stream");
const REST = Symbol("rest");

/** A request from the runtime, with the function to which its reads are reported. */
interface Watched extends Request {
  [AWAITS]: Awaits;
  [STREAM]?: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Settles when the part of the body that the handler left unread has been read. */
  [REST]?: Promise<void>;
}

/**
 * Replaces a request's methods by changing its prototype, which costs less than setting each
 * method.
 */
function watchReads(request: Request, awaits: Awaits): Request {
  Object.setPrototypeOf(request, WATCHED);
  (request as Watched)[AWAITS] = awaits;
  return request;
}

/** Reports reads of the whole body, and of its stream if that is used. */
const WATCHED: object = Object.create(Request.prototype, {
  body: {
    get(this: Watched) {
      const known = this[STREAM];
      if (known !== undefined) return known;
      const own = OWN_BODY.call(this);
      return this[STREAM] = own === null ? null : watched(
        own,
        { awaits: this[AWAITS], waits: waitsFor(this) },
        (rest) => void (this[REST] = rest),
      );
    },
  },
  clone: {
    value(this: Watched) {
      return watchReads(Request.prototype.clone.call(this), this[AWAITS]);
    },
  },
  ...Object.fromEntries(READS.map((name) => [name, { value: watchedRead(name) }])),
});

function watchedRead(name: (typeof READS)[number]): (this: Watched) => Promise<unknown> {
  const read = Request.prototype[name] as () => Promise<unknown>;
  return async function () {
    const wait = this[AWAITS]();
    try {
      return await read.call(this);
    } finally {
      wait.over();
    }
  };
}

/** Returns whether the client sends the body only when asked to. */
const waitsFor = ({ headers }: Request): boolean => hasField(headers, "expect");

function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { awaits, waits }: { readonly awaits: Awaits; readonly waits: boolean },
  left: (rest: Promise<void>) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let isAsked = !waits;
  return new ReadableStream({
    async pull(controller) {
      isAsked = true;
      const wait = awaits();
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } finally {
        wait.over();
      }
    },
    cancel: (reason) => isAsked ? left(readRest(reader)) : reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Starts to read the rest of a body. Returns `undefined` if there is nothing to read. */
export function leaveBody(request: Request, response: Response): Promise<void> | undefined {
  if (BODILESS.has(request.method)) return undefined;
  const isOver = isWhole(response) || (response.status >= 400 && !isStreamed(response));
  if (isOver && !request.bodyUsed && !waitsFor(request)) {
    const { body } = request;
    if (body !== null && !body.locked) body.cancel().catch(() => {});
  }
  return (request as Watched)[REST];
}

/**
 * Reads an unwanted body, within limits. Otherwise, the runtime would drop the rest of the body and
 * close the connection together with the response, so a client that is still sending would lose the
 * response.
 */
async function readRest(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const cancel = () => reader.cancel().catch(() => {});
  const timer = setTimeout(cancel, REST_MS);
  try {
    for (let left = MAX_REST; left > 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.byteLength;
    }
    await cancel();
  } catch {
    /* the client has disconnected */
  } finally {
    clearTimeout(timer);
  }
}
