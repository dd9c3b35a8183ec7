import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { compareSides, type Side, steady } from "./_likeness.ts";

const PAGE =
  '<a href="/next?a=1&amp;b=2">Next</a><img src="mark.svg"><a href="//else.test/">Else</a>';

async function withServer(answer: RequestListener, test: (side: Side) => Promise<void>) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  try {
    await test({ port, host: "localhost" });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Returns a handler for every path. `more` contains the handlers for paths that have their own. */
const site =
  (more: Readonly<Record<string, RequestListener>>): RequestListener => (request, response) => {
    const named = more[request.url!];
    if (named !== undefined) return named(request, response);
    response.setHeader("content-type", "text/html");
    response.end(request.url === "/" ? PAGE : `${request.url} at ${new Date().toISOString()}`);
  };

const differencesOf = async (live: RequestListener, own: RequestListener = site({})) => {
  let found: readonly string[] = [];
  await withServer(own, (own) =>
    withServer(live, async (live) => {
      found = await compareSides([{ path: "/" }], { own, live, mayDiffer: { "x-own": "It is" } });
    }));
  return found;
};

Deno.test("compareSides() ignores differences in times and named headers", async () => {
  const live = site({});
  assert.deepEqual(
    await differencesOf((request, response) => {
      response.setHeader("x-own", "1");
      live(request, response);
    }),
    [],
  );
});

for (
  const [what, path, answer, wanted] of [
    [
      "the status of a linked page",
      "/next?a=1&b=2",
      404,
      /^GET \/next\?a=1&b=2: status own 200, live 404$/,
    ],
    [
      "the header of a linked file",
      "/mark.svg",
      200,
      /^GET \/mark\.svg: set-cookie own undefined, live b$/,
    ],
  ] as const
) {
  Deno.test(`compareSides() reports that ${what} differs`, async () => {
    const [first] = await differencesOf(site({
      [path]: (_request, response) => {
        response.writeHead(answer, {
          "content-type": "text/html",
          ...(answer === 200 ? { "set-cookie": "b=1" } : {}),
        });
        response.end(`${path} at ${new Date().toISOString()}`);
      },
    }));
    assert.match(String(first), wanted);
  });
}

Deno.test("compareSides() reports a different body, and a stream that arrives all at once", async () => {
  const late = (pause: number, text: string) =>
    site({
      "/next?a=1&b=2": (_request, response) => {
        response.setHeader("content-type", "text/html");
        response.write("early");
        setTimeout(() => response.end(text), pause);
      },
    });
  const [body, stream, ...more] = await differencesOf(late(0, "late"), late(900, "own"));
  assert.equal(body, 'GET /next?a=1&b=2: body own "earlyown", live "earlylate"');
  assert.match(String(stream), /^GET \/next\?a=1&b=2: streamed for own \d{3,} ms, live \d+ ms$/);
  assert.deepEqual(more, []);
});

Deno.test("steady() replaces only hosts, times and random values", () => {
  const side = { host: "site.localhost", port: 8000 };
  assert.equal(
    steady(
      "http://site.localhost:8000/a 2026-01-02T03:04:05.678Z 12.5ms 3f2a9c0d1e4b5a6978c0d1e2 plain-words-of-a-page 42",
      side,
    ),
    "http://{host}/a {time} {time} {id} plain-words-of-a-page 42",
  );
});

Deno.test("steady() returns the same text for strings that differ only in their host", () => {
  const text = 'location?.hostname ?? "localhost"';
  assert.equal(
    steady(text, { host: "shop.localhost", port: 8787 }),
    steady(text, { host: "localhost", port: 3000 }),
  );
});
