/**
 * @module The module that serves functions written for other platforms. It finds the function for a
 * request, and calls that function as the original platform would.
 *
 * The code is JavaScript for Node 20 and later, and can use only the project's files.
 */
import type { FoundFunction, FunctionRewrite } from "./functions_types.ts";
import { NETLIFY_CALLS } from "./netlify_launcher.ts";
import { VERCEL_CALLS } from "./vercel_launcher.ts";

/** Web-standard requests and responses on top of node:http. */
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
  if (answer === undefined) return sendText(response, 404, "The function returned no response");
  if (!(answer instanceof Response)) throw new TypeError("The function returned no Response");
  await sendWeb(response, answer);
}

function sendText(response, status, text) {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text + "\n");
}
`;

/** Finds the function for a request, loads it once, and reports failures. */
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

/** The function for a path, with its parameters; "method" if it does not accept the method. */
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
  if (found === undefined) return sendText(response, 404, "No function handles this path");
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

interface LauncherFacts {
  readonly functions: readonly FoundFunction[];
  readonly rewrites: readonly FunctionRewrite[];
  /** Path from the launcher's folder to the project, with a trailing slash: `../`. */
  readonly root: string;
}

/** Generates the module. */
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
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const root = new URL(${JSON.stringify(root)}, import.meta.url);
const routes = [\n${routes.join("\n")}\n];
const rewrites = [\n${targets.join("\n")}\n];
${WEB}${VERCEL_CALLS}${NETLIFY_CALLS}${SERVER}`;
}
