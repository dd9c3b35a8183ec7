/** @module The part of Next.js's launcher that tells the edge how long to cache a page. */

/** Records which pages in Next.js's cache belong to which response. */
export const PAGE_CACHE = String.raw`
const answers = new AsyncLocalStorage();

/** State of a response while it is created. */
const newAnswer = (request) => ({
  request,
  tags: new Set(),
  found: new Set(),
  lastModified: undefined,
});

const isPage = (value) => value != null && value.kind !== "FETCH" && value.kind !== "IMAGE";

/** A tag in a form that a header field allows. */
function fieldTag(tag) {
  const text = /^[!-+\--~]+$/.test(tag) ? tag : encodeURIComponent(tag);
  return text.length <= 256 ? text : createHash("sha256").update(text).digest("hex");
}

const pageTag = (key) => fieldTag("next-page:" + key);

function note(key, value, lastModified) {
  const answer = answers.getStore();
  if (answer === undefined || !isPage(value)) return;
  answer.tags.add(pageTag(key));
  answer.lastModified = lastModified;
  const named = value.headers?.["x-next-cache-tags"];
  if (typeof named !== "string") return;
  for (const tag of named.split(",")) if (tag !== "") answer.tags.add(fieldTag(tag));
}

async function revalidate(what) {
  try {
    await globalThis.svc?.revalidate(what);
  } catch (error) {
    console.error("Cannot revalidate pages at the edge: " + error.message);
  }
}

/** Pages that were regenerated: one call tells the edge to fetch them again. */
const remade = new Set();

function noteMade(key) {
  if (remade.size === 0) {
    setTimeout(() => {
      const tags = [...remade];
      remade.clear();
      for (let at = 0; at < tags.length; at += 128) {
        void revalidate({ tags: tags.slice(at, at + 128), soft: true });
      }
    }, 50);
  }
  remade.add(pageTag(key));
}

const Base = await loadCacheHandler();

/** Loads the project's own cache handler, or Next.js's if there is none. */
async function loadCacheHandler() {
  const own = settings.cacheHandler;
  if (!own) return require("next/dist/server/lib/incremental-cache/file-system-cache").default;
  const path = own.startsWith("file:") ? own : pathToFileURL(resolve(distDir, own)).href;
  const loaded = await import(path);
  return loaded.default?.default ?? loaded.default ?? loaded;
}

/** Next.js loads this class as its cache handler, and creates an instance for each request. */
export default class PageCache extends Base {
  #isOnDemand;

  constructor(context, ...rest) {
    super(context, ...rest);
    this.#isOnDemand = context?._requestHeaders?.["x-prerender-revalidate"] !== undefined;
  }

  async get(key, ...rest) {
    const entry = await super.get(key, ...rest);
    note(key, entry?.value, entry?.lastModified);
    if (entry != null) answers.getStore()?.found.add(key);
    return entry;
  }

  async set(key, value, ...rest) {
    note(key, value, Date.now());
    await super.set(key, value, ...rest);
    if (!isPage(value)) return;
    // "res.revalidate()" waits for this. Otherwise, the visitor has already received the stale
    // page.
    if (this.#isOnDemand) await revalidate({ tags: [pageTag(key)] });
    else if (answers.getStore()?.found.has(key)) noteMade(key);
  }

  async revalidateTag(tags, ...rest) {
    await super.revalidateTag(tags, ...rest);
    const names = [tags].flat().map(fieldTag);
    for (let at = 0; at < names.length; at += 128) {
      await revalidate({ tags: names.slice(at, at + 128) });
    }
  }
}
`;

/** Adds the header fields that tell the edge how long to cache a response. */
export const ANSWERS = String.raw`
const NOT_KEPT = "no-store";

const REVALIDATED = "public, max-age=0, must-revalidate";

function seconds(field, name) {
  const found = new RegExp("(?:^|[\\s,])" + name + "=(\\d+)").exec(field);
  return found === null ? undefined : Number(found[1]);
}

/** How long the edge caches a page from Next.js's cache. */
function lifetime(field, { lastModified }, isStale) {
  const fresh = seconds(field, "s-maxage");
  const later = seconds(field, "stale-while-revalidate");
  const age = Math.max(0, Math.floor((Date.now() - (lastModified ?? Date.now())) / 1000));
  // While Next.js regenerates a stale page, the edge requests it again soon.
  const kept = isStale ? 1 : Math.max(1, fresh - age);
  return "max-age=" + kept + (later === undefined ? "" : ", stale-while-revalidate=" + later);
}

function prepareHead(request, response, answer) {
  const field = String(response.getHeader("cache-control") ?? "");
  const targeted = response.hasHeader("svc-cdn-cache-control") ||
    response.hasHeader("cdn-cache-control");
  const path = request.url.split("?", 1)[0];
  if (personal.some((pattern) => pattern.test(path))) {
    if (!targeted) response.setHeader("svc-cdn-cache-control", NOT_KEPT);
    if (field.includes("s-maxage")) response.setHeader("cache-control", "private, no-cache");
    return;
  }
  if (answer.tags.size > 0) response.setHeader("svc-cache-tag", [...answer.tags].join(","));
  const cached = response.getHeader("x-nextjs-cache");
  if (targeted || cached === undefined || !field.includes("s-maxage")) return;
  // Another request read the page from the cache, so its tags are unknown: the edge could not purge the response.
  const kept = answer.tags.size === 0 ? NOT_KEPT : lifetime(field, answer, cached === "STALE");
  response.setHeader("svc-cdn-cache-control", kept);
  response.setHeader("cache-control", REVALIDATED);
}

function watchHead(request, response, answer) {
  const writeHead = response.writeHead;
  response.writeHead = function (...args) {
    response.writeHead = writeHead;
    prepareHead(request, response, answer);
    return writeHead.apply(this, args);
  };
}

const emit = Server.prototype.emit;
Server.prototype.emit = function (name, request, response, ...rest) {
  if (name === "request" || name === "upgrade") {
    for (const field of Object.keys(request.headers)) {
      if (INTERNAL_FIELDS.test(field)) delete request.headers[field];
    }
  }
  if (name !== "request") return emit.call(this, name, request, response, ...rest);
  const answer = newAnswer(request);
  watchHead(request, response, answer);
  return answers.run(answer, () => emit.call(this, name, request, response, ...rest));
};
`;
