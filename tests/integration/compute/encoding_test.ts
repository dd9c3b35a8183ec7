/**
 * A server's response must arrive unchanged. Neither runtime may compress it, regardless of how the
 * server listens.
 */
import assert from "node:assert/strict";
import { computeServer, writeModules } from "../../helpers/compute_server.ts";

const TEXT = "<p>A page that would shrink.</p>".repeat(200);

const SERVERS = {
  "node:http": `
import { createServer } from "node:http";
createServer((request, response) => {
  response.setHeader("content-type", "text/html");
  response.setHeader("etag", '"strong"');
  response.setHeader("x-accepted", request.headers["accept-encoding"] ?? "nothing");
  response.setHeader("x-names", request.rawHeaders.filter((_, at) => at % 2 === 0).join());
  response.end(${JSON.stringify(TEXT)});
}).listen(process.env.PORT, process.env.HOST);
`,
  "Deno.serve": `
Deno.serve({ port: Number(Deno.env.get("PORT")) }, (request) =>
  new Response(${JSON.stringify(TEXT)}, {
    headers: {
      "content-type": "text/html",
      etag: '"strong"',
      "x-accepted": request.headers.get("accept-encoding") ?? "nothing",
      "x-names": [...request.headers.keys()].join(),
    },
  }));
`,
};

for (const [name, source] of Object.entries(SERVERS)) {
  Deno.test(`a response from ${name} is not compressed in transit`, async () => {
    const directory = await writeModules({ "entry.mjs": source });
    await using app = computeServer({ directory });
    const result = await app.get("/", {
      headers: [
        ["host", "app.example"],
        ["accept-encoding", "gzip, br"],
        ["x-svc-accept-encoding", "forged"],
      ],
    });
    if (result.type === "failed") throw new Error(result.reason);
    const { headers, body } = result.response;
    const fields = new Map(headers.map(([field, value]) => [field.toLowerCase(), value]));
    assert.equal(fields.get("x-accepted"), "gzip, br");
    assert.doesNotMatch(fields.get("x-names") ?? "", /x-svc-accept-encoding/i);
    assert.equal(fields.get("etag"), '"strong"');
    assert.equal(fields.get("content-encoding"), undefined);
    assert.equal(await new Response(body).text(), TEXT);
    const plain = await app.get("/");
    if (plain.type === "failed") throw new Error(plain.reason);
    await new Response(plain.response.body).text();
    assert.equal(new Map(plain.response.headers).get("x-accepted"), "nothing");
  });
}
