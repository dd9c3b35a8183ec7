/** @module The part of the function server's module that calls Netlify functions. */

/** Calls Netlify functions of both kinds, and provides their context. */
export const NETLIFY_CALLS = String.raw`
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
