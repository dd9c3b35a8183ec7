import assert from "node:assert/strict";
import { OutboundError } from "../http1/errors.ts";
import { createOutboundFetch } from "./outbound_fetch.ts";
import { until } from "../../lib/_test_until.ts";

/** Accepts connections and sends nothing. */
function tarpit() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const taken: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const conn of listener) taken.push(conn);
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    /** Number of accepted connections that are open. */
    open: () => taken.length,
    /** Closes accepted connections. Waiting handshakes then fail. */
    release: () => {
      for (const conn of taken.splice(0)) conn.close();
    },
    stop: async () => {
      listener.close();
      await accepting;
    },
  };
}

const codeOf = async (answer: Promise<unknown>): Promise<string> => {
  const error = await answer.then(() => undefined, (error) => error);
  assert(error instanceof OutboundError);
  return error.code;
};

Deno.test("handshakes without a response do not accumulate and are dropped when they end", async () => {
  const pit = tarpit();
  const outbound = createOutboundFetch({ allowPrivate: true, connectMs: 5 });
  const ask = () =>
    codeOf(outbound.fetch({
      method: "GET",
      url: `https://127.0.0.1:${pit.port}/`,
      headers: [],
      body: null,
      redirect: "manual",
    }));
  const first = await Promise.all(Array.from({ length: 16 }, ask));
  assert.deepEqual(new Set(first), new Set(["connect_timeout"]));
  await until(pit.open, (count) => count === 16);
  assert.equal(await ask(), "connect_timeout");
  assert.equal(pit.open(), 16);
  pit.release();
  // On a busy machine, the tarpit may accept connections late.
  await until(async () => {
    assert.equal(await ask(), "connect_timeout");
    return pit.open();
  }, (count) => count > 0);
  pit.release();
  await pit.stop();
  outbound.close();
});
