/**
 * The module that serves functions of other platforms: it finds the function of a request, and
 * calls it as its own platform does.
 *
 * The text is JavaScript for Node 20 and later, with nothing but the project's files at hand.
 *
 * @module
 */
import type { FoundFunction, FunctionRewrite } from "./functions_types.ts";

/** Modules of TypeScript name others without an extension, or by that of their compiled form. */
const HOOKS = String.raw`
nodeModule.registerHooks?.({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!/^\.{1,2}(?:\/|$)/.test(specifier)) throw error;
      const stem = specifier.replace(/\.([cm]?)js$/, "");
      for (const end of [".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", "/index.ts", "/index.js"]) {
        try {
          return next(stem + end, context);
        } catch {}
      }
      throw error;
    }
  },
});
`;

/** Requests and responses of the web over those of node:http. */
const WEB = String.raw`
const originOf = ({ headers }) =>
  (headers["x-forwarded-proto"] === "https" ? "https" : "http") + "://" + (headers.host ?? "localhost");

function webRequest(request, signal) {
  const headers = new Headers();
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    headers.append(request.rawHeaders[at], request.rawHeaders[at + 1]);
  }
  const { method, url } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, originOf(request)), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(request), duplex: "half" } : {}),
  });
}

async function sendWeb(response, answer) {
  response.statusCode = answer.status;
  if (answer.statusText !== "") response.statusMessage = answer.statusText;
  for (const [name, value] of answer.headers) {
    if (name !== "set-cookie") response.setHeader(name, value);
  }
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  if (answer.body === null) return void response.end();
  await pipeline(Readable.fromWeb(answer.body), response);
}

async function answerWeb(call, request, response) {
  const left = new AbortController();
  response.once("close", () => left.abort());
  const answer = await call(webRequest(request, left.signal));
  if (answer === undefined) return sendText(response, 404, "The function has no response");
  if (!(answer instanceof Response)) throw new TypeError("The function returned no Response");
  await sendWeb(response, answer);
}

function sendText(response, status, text) {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text + "\n");
}
`;

/** The helpers of requests and responses, and the context of Vercel. */
const VERCEL = String.raw`
const MAX_BODY = 32 * 1024 * 1024;

/** The body of a request, and the same request with a body that can be read again. */
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

/** An app of a framework reads the request by itself. */
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

/** Functions of Netlify, of both kinds, and their context. */
const NETLIFY = String.raw`
const env = {
  get: (name) => process.env[name],
  has: (name) => process.env[name] !== undefined,
  set: (name, value) => void (process.env[name] = value),
  delete: (name) => void delete process.env[name],
  toObject: () => ({ ...process.env }),
};
globalThis.Netlify ??= { env };

function contextOf(request, parameters, cookies) {
  const jar = cookiesOf(request.headers.cookie);
  const set = (options, value) => {
    const { name, value: text = value, ...rest } = typeof options === "string" ? { name: options } : options;
    const parts = Object.entries({ path: "/", ...rest }).map(([key, each]) =>
      ({ path: "Path=" + each, domain: "Domain=" + each, maxAge: "Max-Age=" + each,
        expires: "Expires=" + new Date(each).toUTCString(), sameSite: "SameSite=" + each,
        httpOnly: each ? "HttpOnly" : "", secure: each ? "Secure" : "" })[key] ?? "");
    cookies.push([name + "=" + encodeURIComponent(text ?? ""), ...parts.filter((part) => part !== "")].join("; "));
  };
  return {
    params: parameters,
    ip: String(request.headers["x-forwarded-for"] ?? "").split(",")[0].trim(),
    requestId: request.headers["x-svc-request-id"] ?? "",
    url: new URL(request.url, originOf(request)),
    cookies: {
      get: (name) => jar[name],
      set,
      delete: (options) => set({ ...(typeof options === "string" ? { name: options } : options), value: "", maxAge: 0 }),
    },
    geo: {},
    site: { url: process.env.SVC_URL },
    deploy: { id: process.env.SVC_DEPLOYMENT_ID, context: process.env.SVC_ENVIRONMENT, published: process.env.SVC_ENVIRONMENT === "production" },
    server: { region: "" },
    account: { id: "" },
    json: (value, options) => Response.json(value, options),
    log: (...values) => console.log(...values),
    waitUntil: background,
    next: () => Promise.resolve(new Response("Not found\n", { status: 404 })),
  };
}

async function callEvent(handler, { request, response }) {
  const { body, again } = await readBody(request);
  const url = new URL(again.url, originOf(again));
  const many = (entries) => {
    const found = {};
    for (const [name, value] of entries) (found[name] ??= []).push(value);
    return found;
  };
  const isText = /^(?:text\/|application\/(?:json|xml|javascript|x-www-form-urlencoded)|[^;]*\+(?:json|xml))/i
    .test(again.headers["content-type"] ?? "text/");
  const event = {
    rawUrl: url.href,
    rawQuery: url.search.slice(1),
    path: url.pathname,
    httpMethod: again.method,
    headers: Object.fromEntries(Object.entries(again.headers).map(([name, value]) => [name, String(value)])),
    multiValueHeaders: many(Object.entries(again.headers).map(([name, value]) => [name, String(value)])),
    queryStringParameters: Object.fromEntries(url.searchParams),
    multiValueQueryStringParameters: many(url.searchParams),
    body: body.length === 0 ? null : body.toString(isText ? "utf8" : "base64"),
    isBase64Encoded: body.length > 0 && !isText,
  };
  const result = await new Promise((resolve, reject) => {
    const settled = handler(event, { clientContext: {} }, (error, value) => error ? reject(error) : resolve(value));
    if (settled !== undefined) Promise.resolve(settled).then(resolve, reject);
  });
  if (typeof result?.statusCode !== "number") throw new TypeError("The function returned no statusCode");
  response.statusCode = result.statusCode;
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value));
  for (const [name, values] of Object.entries(result.multiValueHeaders ?? {})) response.setHeader(name, values.map(String));
  response.end(result.isBase64Encoded === true ? Buffer.from(result.body ?? "", "base64") : result.body ?? "");
}

async function callNetlify(module, call) {
  const handler = module.default?.default ?? module.default;
  const event = module.handler ?? handler?.handler;
  if (typeof event === "function") return await callEvent(event, call);
  if (typeof handler !== "function") throw new TypeError("The module exports no handler");
  const cookies = [];
  const context = contextOf(call.request, call.parameters, cookies);
  await answerWeb(async (request) => {
    const answer = await handler(request, context);
    if (!(answer instanceof Response) || cookies.length === 0) return answer;
    const headers = new Headers(answer.headers);
    for (const cookie of cookies) headers.append("set-cookie", cookie);
    return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
  }, call.request, call.response);
}
`;

/** Finds the function of a request, loads it once, and reports what fails. */
const SERVER = String.raw`
const CALLS = { vercel: callVercel, netlify: callNetlify };
const loaded = new Map();

function load({ file }) {
  let module = loaded.get(file);
  if (module === undefined) {
    module = import(new URL(file.split("/").map(encodeURIComponent).join("/"), root));
    loaded.set(file, module);
    module.catch(() => loaded.delete(file));
  }
  return module;
}

const decode = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The function of a path with what its pattern took; one of another method is "method". */
function find(path, method) {
  let others;
  for (const route of routes) {
    const found = route.pattern.exec(path);
    if (found === null) continue;
    if (route.methods !== undefined && !route.methods.includes(method)) {
      others ??= "method";
      continue;
    }
    const parameters = {};
    route.parameters.forEach(({ name, isRest }, at) => {
      const text = found[at + 1];
      if (text === undefined) return;
      const isList = isRest && route.provider === "vercel";
      parameters[name] = isList ? text.split("/").map(decode) : decode(text);
    });
    return { route, parameters };
  }
  return others;
}

function findRewritten(path, method) {
  for (const { pattern, to } of rewrites) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const target = to.replace(/\$(\d+)/g, (_, at) => found[Number(at)] ?? "");
    return find(target, method);
  }
  return undefined;
}

async function answer(request, response) {
  const path = request.url.split("?", 1)[0];
  const found = find(path, request.method) ?? findRewritten(path, request.method);
  if (found === undefined) return sendText(response, 404, "No function answers at this path");
  if (found === "method") return sendText(response, 405, "Method not allowed");
  const { route, parameters } = found;
  await CALLS[route.provider](await load(route), { request, response, parameters });
}

http.createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (response.destroyed) return;
    const status = typeof error?.status === "number" ? error.status : 500;
    if (status >= 500) console.error(error);
    if (response.headersSent) return void response.destroy();
    sendText(response, status, status >= 500 ? "The function failed" : error.message);
  });
}).listen(Number(process.env.PORT), process.env.HOST);
`;

export interface LauncherFacts {
  readonly functions: readonly FoundFunction[];
  readonly rewrites: readonly FunctionRewrite[];
  /** Path from the folder of the launcher to the project, with a final slash: `../`. */
  readonly root: string;
}

/** Writes the module. */
export function functionsLauncher({ functions, rewrites, root }: LauncherFacts): string {
  const routes = functions
    .flatMap(({ file, provider, routes }) => routes.map((route) => ({ ...route, file, provider })))
    .sort((left, right) => right.precision - left.precision)
    .map(({ pattern, parameters, methods, file, provider }) =>
      `  { pattern: new RegExp(${JSON.stringify(pattern)}), parameters: ${
        JSON.stringify(parameters)
      }, methods: ${methods === undefined ? "undefined" : JSON.stringify(methods)}, file: ${
        JSON.stringify(file)
      }, provider: ${JSON.stringify(provider)} },`
    );
  const targets = rewrites.map(({ pattern, to }) =>
    `  { pattern: new RegExp(${JSON.stringify(pattern)}), to: ${JSON.stringify(to)} },`
  );
  return `import http from "node:http";
import * as nodeModule from "node:module";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const root = new URL(${JSON.stringify(root)}, import.meta.url);
const routes = [\n${routes.join("\n")}\n];
const rewrites = [\n${targets.join("\n")}\n];
${HOOKS}${WEB}${VERCEL}${NETLIFY}${SERVER}`;
}
