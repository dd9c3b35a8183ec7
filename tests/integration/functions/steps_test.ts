/** Tests what functions receive, and the effects of their results, in a real process. */
import assert from "node:assert/strict";
import { createOutboundFetch } from "../../../src/runtime/mod.ts";
import { bodyOf, bodyText, deployFunctions, invocation } from "../../helpers/function_host.ts";

const context = {
  requestId: "req-9",
  ip: "203.0.113.9",
  country: "DE",
  device: "mobile",
  deployment: { id: "dep-1", url: "https://a.example" },
};

Deno.test("functions run in a process", async (t) => {
  const stop = new AbortController();
  const upstream = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: stop.signal },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/hang") return new Promise(() => {});
      if (pathname === "/redirect") return Response.redirect(new URL("/end", request.url), 302);
      return new Response(`${request.method} ${pathname} ${await request.text()}`);
    },
  );
  const outbound = createOutboundFetch({ allowPrivate: true });
  await using deployment = await deployFunctions({ outbound: outbound.fetch });
  const { host, log } = deployment;
  assert.deepEqual(await host.start(), []);
  const to = (path: string): [string, string][] => [
    ["x-to", `http://127.0.0.1:${upstream.addr.port}${path}`],
  ];

  await t.step(
    "the context contains facts about the request, and only the project's own variables",
    async () => {
      const result = await host.invoke(invocation("/context", { as: "gate", context }));
      assert.deepEqual(JSON.parse(await bodyText(result)), {
        queue: {},
        requestId: "req-9",
        ip: "203.0.113.9",
        geo: { country: "DE" },
        device: "mobile",
        deployment: { id: "dep-1", url: "https://a.example" },
        env: { GREETING: "hello" },
        kv: {},
        database: {},
        as: "gate",
        method: "GET",
      });
    },
  );

  await t.step(
    "a request step that returns nothing leaves the request and its body unchanged",
    async () => {
      const body = bodyOf("kept");
      const result = await host.invoke(
        invocation("/nothing", { mode: "request", method: "POST", body }),
      );
      assert.deepEqual(result, { type: "next" });
      assert.equal(await new Response(body).text(), "kept");
    },
  );

  await t.step("a request step that returns a Response ends the pipeline", async () => {
    const result = await host.invoke(invocation("/answer", { mode: "request" }));
    assert.ok(result.type === "response");
    assert.equal(result.response.status, 418);
    assert.deepEqual(result.response.headers.find(([name]) => name === "x-step"), ["x-step", "1"]);
    assert.equal(await bodyText(result), "answered");
  });

  await t.step("multiple cookies stay separate", async () => {
    const result = await host.invoke(invocation("/cookies"));
    assert.ok(result.type === "response");
    assert.deepEqual(result.response.headers, [["set-cookie", "a=1"], ["set-cookie", "b=2"]]);
    assert.equal(result.response.body, null);
  });

  await t.step("a request step that returns a Request changes it", async () => {
    const result = await host.invoke(
      invocation("/rewrite", { mode: "request", headers: [["x-old", "2"]] }),
    );
    assert.ok(result.type === "request");
    assert.equal(result.request.url, "https://site.example/other?q=1");
    assert.deepEqual([...result.request.headers].sort(), [["x-added", "1"], ["x-old", "2"]]);
  });

  await t.step(
    "a returned request keeps an unread body without copying it",
    async () => {
      const body = bodyOf("kept");
      const result = await host.invoke(
        invocation("/same", { mode: "request", method: "POST", body }),
      );
      assert.ok(result.type === "request");
      assert.equal(result.request.body, body);
      assert.deepEqual(result.request.headers, [["x-added", "1"]]);
    },
  );

  await t.step("a step that reads a clone still passes the body on", async () => {
    const result = await host.invoke(
      invocation("/reads-clone", { mode: "request", method: "POST", body: bodyOf("copied") }),
    );
    assert.ok(result.type === "request");
    assert.equal(result.request.url, "https://site.example/reads-clone");
    assert.equal(await bodyText(result), "copied");
  });

  await t.step("a step that has consumed the body fails instead of losing it", async () => {
    const result = await host.invoke(
      invocation("/eats-body", { mode: "request", method: "POST", body: bodyOf("lost") }),
    );
    assert.ok(result.type === "failed" && result.reason === "invalid_result");
    assert.match(result.message, /clone\(\)/);
  });

  await t.step("a step can replace the request's body", async () => {
    const result = await host.invoke(
      invocation("/new-body", { mode: "request", method: "POST", body: bodyOf("abc") }),
    );
    assert.ok(result.type === "request");
    assert.equal(result.request.method, "PUT");
    assert.equal(await bodyText(result), "ABC");
  });

  await t.step("bodies stream in both directions", async () => {
    const size = 5_000_000;
    const body = new Response(new Uint8Array(size).fill(3)).body!;
    const result = await host.invoke(invocation("/echo", { method: "POST", body }));
    assert.ok(result.type === "response");
    const bytes = await new Response(result.response.body).bytes();
    assert.equal(bytes.byteLength, size);
    assert.ok(bytes.every((byte) => byte === 3));
  });

  await t.step("a response step sees, wraps and replaces the response", async () => {
    const response = () => ({
      status: 200,
      headers: [["content-type", "text/plain"]] as [string, string][],
      body: bodyOf("page"),
    });
    const untouched = await host.invoke(
      invocation("/nothing", { mode: "response", response: response() }),
    );
    assert.deepEqual(untouched, { type: "next" });
    const given = response();
    const wrapped = await host.invoke(invocation("/wrap", { mode: "response", response: given }));
    assert.ok(wrapped.type === "response");
    assert.equal(wrapped.response.status, 201);
    assert.equal(wrapped.response.body, given.body);
    assert.equal(await bodyText(wrapped), "page");
    const read = await host.invoke(
      invocation("/reads-response", { mode: "response", response: response() }),
    );
    assert.equal(await bodyText(read), "PAGE");
  });

  await t.step("an observer sees the response but cannot change it", async () => {
    const body = bodyOf("page");
    const result = await host.invoke(
      invocation("/response-status", {
        mode: "observe",
        response: { status: 503, headers: [], body },
      }),
    );
    assert.deepEqual(result, { type: "next" });
    assert.equal(body.locked, false);
  });

  await t.step("results of the wrong type fail", async () => {
    for (const mode of ["request", "response", "handle"] as const) {
      const response = { status: 200, headers: [], body: null };
      const result = await host.invoke(invocation("/unknown", { mode, response }));
      assert.ok(result.type === "failed" && result.reason === "invalid_result", mode);
    }
    const nothing = await host.invoke(invocation("/nothing"));
    assert.ok(nothing.type === "failed" && nothing.reason === "invalid_result");
    const absent = await host.invoke(invocation("/", { function: "absent" }));
    assert.ok(absent.type === "failed" && absent.reason === "not_found");
  });

  await t.step("fetch goes through the platform, including bodies and redirects", async () => {
    const posted = await host.invoke(
      invocation("/fetch", { method: "POST", headers: to("/post"), body: bodyOf("sent") }),
    );
    assert.equal(await bodyText(posted), "POST /post sent");
    const followed = await host.invoke(invocation("/fetch", { headers: to("/redirect") }));
    assert.ok(followed.type === "response");
    assert.equal(await bodyText(followed), "GET /end ");
    assert.ok(followed.response.headers.some(([n, v]) => n === "x-redirected" && v === "true"));
    const aborted = await host.invoke(invocation("/fetch-aborted", { headers: to("/hang") }));
    assert.equal(await bodyText(aborted), "AbortError");
  });

  await t.step("a call learns that its client has disconnected", async () => {
    const abort = new AbortController();
    const work = host.invoke(invocation("/signal", { signal: abort.signal }));
    setTimeout(() => abort.abort(), 10);
    const result = await work;
    assert.ok(result.type === "failed" && result.reason === "client_gone");
    await host.invoke(invocation("/answer"));
    assert.ok(log.some(({ message }) => message === "aborted true"));
  });

  await t.step("a body that its client cancels is not an error in the function", async () => {
    log.length = 0;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("half"));
      },
      pull(controller) {
        controller.error(new TypeError("error reading a body from connection"));
      },
    });
    const result = await host.invoke(
      invocation("/new-body", { mode: "request", method: "POST", body }),
    );
    assert.ok(result.type === "failed" && result.reason === "client_gone", JSON.stringify(result));
    assert.deepEqual(log, []);
  });

  await t.step("a method that the Fetch standard normalizes to GET has no body", async () => {
    const given = { method: "get", body: bodyOf("content"), context };
    const result = await host.invoke(invocation("/context", given));
    assert.equal(JSON.parse(await bodyText(result)).method, "GET");
  });

  await t.step("log lines have a level, a request and a text", async () => {
    log.length = 0;
    await host.invoke(invocation("/logs", { context }));
    assert.deepEqual(
      log.map(({ level, requestId, message }) => [level, requestId, message.split("\n")[0]]),
      [
        ["debug", "req-9", "d 1"],
        ["info", "req-9", "{ nested: { list: [ 1, 2 ] } }"],
        ["error", "req-9", "Error: shown"],
      ],
    );
  });

  await t.step("errors name the file, line and column in the author's source", async () => {
    log.length = 0;
    const result = await host.invoke(invocation("/lucky", { function: "throws" }));
    assert.deepEqual(result, {
      type: "failed",
      reason: "threw",
      message: "RangeError: No luck for /lucky",
    });
    assert.equal(log[0]?.function, "throws");
    const frames = log[0]?.stack?.split("\n").slice(1, 3).map((line) => line.trim());
    assert.match(frames?.[0] ?? "", /^at fail \(lib\/fail\.ts:6:9\)$/);
    assert.match(frames?.[1] ?? "", /\(functions\/throws\.ts:5:33\)$/);
  });

  await t.step("waitUntil continues after the response, and drain waits for it", async () => {
    log.length = 0;
    assert.equal(await bodyText(await host.invoke(invocation("/later", { context }))), "now");
    const leave = new AbortController();
    const left = { ...context, requestId: "req-10" };
    const options = { context: left, signal: leave.signal };
    const { type } = await host.invoke(invocation("/later", options));
    leave.abort();
    assert.equal(type, "response");
    await host.drain(1000);
    assert.deepEqual(log.map(({ message }) => message), ["later req-9", "later req-10"]);
    const late = await host.invoke(invocation("/answer"));
    assert.ok(late.type === "failed" && late.reason === "aborted");
  });

  outbound.close();
  stop.abort();
  await upstream.finished;
});
