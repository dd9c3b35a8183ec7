/** @module The part of the function server's module that calls Vercel functions. */

/** Vercel's helpers for requests and responses, and its context. */
export const VERCEL_CALLS = String.raw`
const MAX_BODY = 32 * 1024 * 1024;

/** Reads a request's body. Returns it with a copy of the request that has the same body unread. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw Object.assign(new Error("The body is too large"), { status: 413 });
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const again = new http.IncomingMessage(request.socket);
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  Object.assign(again, { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor });
  again.complete = true;
  if (size > 0) again.push(body);
  again.push(null);
  return { body, again };
}

function parseBody(body, type = "") {
  if (body.length === 0) return undefined;
  const kind = type.split(";")[0].trim().toLowerCase();
  if (kind === "application/json" || kind.endsWith("+json")) {
    try {
      return JSON.parse(body.toString());
    } catch {
      throw Object.assign(new Error("Invalid JSON"), { status: 400, statusCode: 400 });
    }
  }
  if (kind === "application/x-www-form-urlencoded") return queryOf(new URLSearchParams(body.toString()));
  return kind.startsWith("text/") ? body.toString() : body;
}

function queryOf(parameters) {
  const query = {};
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    query[name] = values.length === 1 ? values[0] : values;
  }
  return query;
}

function cookiesOf(header = "") {
  const cookies = {};
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at < 1) continue;
    const value = pair.slice(at + 1).trim().replace(/^"(.*)"$/, "$1");
    try {
      cookies[pair.slice(0, at).trim()] ??= decodeURIComponent(value);
    } catch {
      cookies[pair.slice(0, at).trim()] ??= value;
    }
  }
  return cookies;
}

function lazily(target, name, make) {
  let made;
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get: () => (made ??= { value: make() }).value,
    set: (value) => made = { value },
  });
}

function addHelpers(request, response, body, parameters) {
  const { searchParams } = new URL(request.url, "http://function");
  lazily(request, "query", () => ({ ...queryOf(searchParams), ...parameters }));
  lazily(request, "cookies", () => cookiesOf(request.headers.cookie));
  lazily(request, "body", () => parseBody(body, request.headers["content-type"]));
  response.status = (code) => {
    response.statusCode = code;
    return response;
  };
  response.json = (value) => {
    if (!response.hasHeader("content-type")) response.setHeader("content-type", "application/json; charset=utf-8");
    response.end(JSON.stringify(value));
    return response;
  };
  response.send = (value) => {
    if (value === null || value === undefined) response.end();
    else if (Buffer.isBuffer(value) || value instanceof Uint8Array) {
      if (!response.hasHeader("content-type")) response.setHeader("content-type", "application/octet-stream");
      response.end(value);
    } else if (typeof value === "object" || typeof value === "number" || typeof value === "boolean") {
      return response.json(value);
    } else {
      if (!response.hasHeader("content-type")) response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(String(value));
    }
    return response;
  };
  response.redirect = (status, url) => {
    const [code, to] = typeof status === "number" ? [status, url] : [307, status];
    response.writeHead(code, { location: to }).end();
    return response;
  };
}

const background = (work) => void Promise.resolve(work).catch((error) => console.error(error));
globalThis[Symbol.for("@vercel/request-context")] = { get: () => ({ waitUntil: background, headers: {} }) };

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** A framework's app reads the request itself. */
const isApp = (handler) => typeof handler.use === "function" || handler.length > 2;

async function callVercel(module, { request, response, parameters }) {
  const exported = module.default?.default ?? module.default;
  const methods = METHODS.filter((name) => typeof module[name] === "function");
  if (methods.length > 0) {
    const call = module[request.method] ?? (request.method === "HEAD" ? module.GET : undefined);
    if (call === undefined) {
      response.setHeader("allow", methods.join(", "));
      return sendText(response, 405, "Method not allowed");
    }
    return await answerWeb((given) => call(given), request, response);
  }
  const fetch = module.fetch ?? exported?.fetch;
  if (typeof fetch === "function") {
    return await answerWeb((given) => fetch.call(exported, given), request, response);
  }
  if (exported instanceof http.Server) return void exported.emit("request", request, response);
  const handler = typeof exported?.callback === "function" ? exported.callback() : exported;
  if (typeof handler !== "function") throw new TypeError("The module exports no handler");
  const isWeb = module.config?.runtime === "edge" || module.runtime === "edge" || handler.length < 2;
  if (isWeb) return await answerWeb((given) => handler(given), request, response);
  if (isApp(handler)) return await handler(request, response);
  const { body, again } = await readBody(request);
  addHelpers(again, response, body, parameters);
  await handler(again, response);
}
`;
