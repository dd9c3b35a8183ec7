import assert from "node:assert/strict";
import * as z from "zod";
import { BotApi, BotApiError, BotSettingsError } from "./bot_api.ts";
import { stopServer } from "../../../../lib/stop_server.ts";

const TOKEN = "123456:AAE-never_to_be_seen";
const call = (api: string) =>
  new BotApi({ token: TOKEN, api }).call("getMe", {}, { result: z.object({ id: z.number() }) });

/** Starts a server that responds to every request in the same way. */
function serve(answer: () => Response) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => stopServer(server),
  };
}

const rows: readonly [string, () => Response, RegExp][] = [
  [
    "a refusal",
    () => Response.json({ ok: false, error_code: 401, description: "Unauthorized" }),
    /^The Bot API responded with 401: Unauthorized$/,
  ],
  ["a response without JSON", () => new Response("<html>"), /cannot be reached/],
  ["a response with another shape", () => Response.json({ fine: true }), /an unexpected response/],
  [
    "a result with another shape",
    () => Response.json({ ok: true, result: { id: "x" } }),
    /an unexpected response to getMe/,
  ],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/"), /cannot be reached/],
];

for (const [name, answer, wanted] of rows) {
  Deno.test(`BotApi reports a problem after ${name}, without the token`, async () => {
    await using server = serve(answer);
    await assert.rejects(call(server.url), (error: Error) => {
      assert.ok(error instanceof BotApiError);
      assert.match(error.message, wanted);
      assert.ok(!`${error.stack}${error.cause}`.includes(TOKEN));
      return true;
    });
  });
}

Deno.test("BotApi reports a missing response, without the token", async () => {
  await assert.rejects(call("http://127.0.0.1:1"), (error: Error) => {
    assert.ok(!`${error.stack}${error.cause}`.includes(TOKEN));
    return error instanceof BotApiError;
  });
});

Deno.test("BotApi refuses settings that cannot be used, without repeating the token", () => {
  for (const settings of [{ token: "secret" }, { token: TOKEN, api: "ftp://x" }]) {
    assert.throws(() => new BotApi(settings), (error: Error) => {
      assert.ok(error instanceof BotSettingsError);
      assert.ok(!error.message.includes(settings.token));
      return true;
    });
  }
});
