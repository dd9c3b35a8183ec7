/**
 * Pages that load again when a file of the project is saved: for projects without their own
 * dev server.
 *
 * @module
 */

/** Path of the script that pages get. */
export const RELOAD_SCRIPT_PATH = "/__svc/reload.js";
/** Path of the events that it listens to. */
export const RELOAD_EVENTS_PATH = "/__svc/reload";

const SCRIPT = `const events = new EventSource("${RELOAD_EVENTS_PATH}");
let lost = false;
events.onmessage = () => location.reload();
events.onerror = () => lost = true;
events.onopen = () => lost && location.reload();
addEventListener("pagehide", () => events.close());
`;
const TAG = `<script src="${RELOAD_SCRIPT_PATH}" type="module"></script>`;

/** Whether a browser opens a page: the same request of a program gets the file as it is. */
export function opensPage({ method, headers }: Request): boolean {
  return method === "GET" && headers.get("sec-fetch-dest") === "document";
}

/** The request for a page that can be changed: whole, and not compressed. */
export function wholePageRequest(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ["accept-encoding", "if-none-match", "if-modified-since", "range"]) {
    headers.delete(name);
  }
  return new Request(request, { headers });
}

/** Adds the script to a page of HTML; other answers stay as they are. */
export async function withReload(response: Response): Promise<Response> {
  const isHtml = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (!isHtml || response.headers.has("content-encoding") || response.body === null) {
    return response;
  }
  const headers = new Headers(response.headers);
  for (const name of ["etag", "last-modified", "content-length", "accept-ranges"]) {
    headers.delete(name);
  }
  headers.set("cache-control", "no-store");
  return new Response(await response.text() + TAG, { status: response.status, headers });
}

/** The pages that wait for a change. */
export class ReloadEvents {
  readonly #pages = new Set<ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>>();
  readonly #encoder = new TextEncoder();

  /** Answers a page that listens. */
  listen(): Response {
    let page: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        page = controller;
        this.#pages.add(page);
        page.enqueue(this.#encoder.encode("retry: 500\n\n"));
      },
      cancel: () => void this.#pages.delete(page),
    });
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
    return new Response(body, { headers });
  }

  /** Has all pages load again. */
  reload(): void {
    for (const page of this.#pages) page.enqueue(this.#encoder.encode("data: reload\n\n"));
  }

  /** Ends the answers, as the server ends. */
  close(): void {
    for (const page of this.#pages) page.close();
    this.#pages.clear();
  }
}

/** The script itself. */
export function reloadScript(): Response {
  return new Response(SCRIPT, {
    headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" },
  });
}
