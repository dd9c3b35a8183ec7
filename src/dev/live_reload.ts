/**
 * @module The script that `svc dev` adds to pages. It reloads the pages and shows the project's
 * problems.
 */
import type { Problem } from "./problems.ts";

/** Path of the script that pages get. */
export const RELOAD_SCRIPT_PATH = "/__svc/reload.js";
/** Path of the event stream that the script listens to. */
export const RELOAD_EVENTS_PATH = "/__svc/reload";

/**
 * The style of the overlay, which is in a shadow tree. The page and the overlay do not affect each
 * other.
 */
const STYLE = `
:host { all: initial; }
section { position: fixed; inset: 0; z-index: 2147483647; overflow: auto; padding: 24px 16px;
  background: rgb(0 0 0 / .6); font: 15px/1.5 system-ui, sans-serif; box-sizing: border-box; }
div { max-width: 60rem; margin: 0 auto; padding: 16px 20px; border-radius: 8px;
  border-top: 4px solid #ff6b5e; background: #1b1d21; color: #e9e9ec; }
header { display: flex; justify-content: space-between; align-items: center; gap: 16px; }
h1, h2 { font: 600 16px/1.4 system-ui, sans-serif; margin: 0; } h1 { color: #ff9384; }
h2 { font-size: 14px; margin-top: 16px; }
pre { margin: 6px 0 0; padding: 12px; overflow: auto; border-radius: 6px; background: #0f1013;
  font: 13px/1.5 ui-monospace, monospace; }
p { margin: 16px 0 0; color: #a3a6ae; font-size: 13px; }
button { font: inherit; padding: 4px 12px; border: 1px solid #5d6068; border-radius: 6px;
  background: none; color: inherit; cursor: pointer; }
`;

/**
 * The script first removes its own element, because a framework expects the page exactly as the
 * server rendered it. The script inserts messages as text, never as markup. The overlay is outside
 * of the body, because a framework may replace the body.
 */
const SCRIPT = `(() => {
document.currentScript.remove();
let overlay, shown, closed;
const element = (name, text, children = []) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
};
const hide = () => { overlay?.remove(); overlay = undefined; };
const close = () => { closed = shown; hide(); };
const show = (data) => {
  shown = data;
  const problems = JSON.parse(data);
  hide();
  if (problems.length === 0) closed = undefined;
  if (problems.length === 0 || data === closed) return;
  const button = element("button", "Close");
  button.type = "button";
  button.onclick = close;
  const title = problems.length === 1 ? "1 problem" : problems.length + " problems";
  const card = element("div", undefined, [
    element("header", undefined, [element("h1", title), button]),
    ...problems.flatMap(({ title, text }) => [element("h2", title), element("pre", text)]),
    element("p", "svc dev shows this until the project is fixed. Press Esc to close it."),
  ]);
  const section = element("section", undefined, [card]);
  section.setAttribute("role", "dialog");
  section.setAttribute("aria-label", "Project problems");
  overlay = document.createElement("svc-overlay");
  const shadow = overlay.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(${JSON.stringify(STYLE)});
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(section);
  document.documentElement.append(overlay);
};
addEventListener("keydown", ({ key }) => { if (key === "Escape" && overlay) close(); });
const events = new EventSource("${RELOAD_EVENTS_PATH}");
let lost = false;
events.onmessage = () => location.reload();
events.addEventListener("problems", ({ data }) => show(data));
events.onerror = () => lost = true;
events.onopen = () => lost && location.reload();
addEventListener("pagehide", () => events.close());
})();
`;
const TAG = `<script src="${RELOAD_SCRIPT_PATH}"></script>`;

/** Start of the content security policy of the edge's own pages, which have no script. */
const NO_SCRIPTS = "default-src 'none'";

/** Whether a browser is opening a page. Other programs get the unchanged file. */
export function opensPage({ method, headers }: Request): boolean {
  return method === "GET" && headers.get("sec-fetch-dest") === "document";
}

/** Returns a request for the complete, uncompressed page, which can then be changed. */
export function wholePageRequest(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ["accept-encoding", "if-none-match", "if-modified-since", "range"]) {
    headers.delete(name);
  }
  return new Request(request, { headers });
}

/** Adds the script to an HTML page. Other responses do not change. */
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
  const policy = headers.get("content-security-policy");
  if (response.status >= 400 && policy?.startsWith(NO_SCRIPTS) === true) {
    const own = "script-src 'self'; connect-src 'self'";
    headers.set("content-security-policy", `${policy}; ${own}`);
  }
  return new Response(await response.text() + TAG, { status: response.status, headers });
}

/** The open pages that are waiting for a change. */
export class ReloadEvents {
  readonly #pages = new Set<ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>>();
  readonly #encoder = new TextEncoder();
  /** The problems that the pages show. */
  #problems: readonly Problem[] = [];

  get hasProblems(): boolean {
    return this.#problems.length > 0;
  }

  /** Streams events to a page. */
  listen(): Response {
    let page: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        page = controller;
        this.#pages.add(page);
        page.enqueue(this.#encoder.encode(`retry: 500\n${this.#problemsMessage()}`));
      },
      cancel: () => void this.#pages.delete(page),
    });
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
    return new Response(body, { headers });
  }

  /** Makes all pages reload. */
  reload(): void {
    this.#send("data: reload\n\n");
  }

  /** Makes all pages show exactly these problems. */
  show(problems: readonly Problem[]): void {
    this.#problems = problems;
    this.#send(this.#problemsMessage());
  }

  /** Ends the responses, because the server is closing. */
  close(): void {
    for (const page of this.#pages) page.close();
    this.#pages.clear();
  }

  #problemsMessage(): string {
    return `event: problems\ndata: ${JSON.stringify(this.#problems)}\n\n`;
  }

  #send(message: string): void {
    for (const page of this.#pages) page.enqueue(this.#encoder.encode(message));
  }
}

export function reloadScript(): Response {
  return new Response(SCRIPT, {
    headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" },
  });
}
