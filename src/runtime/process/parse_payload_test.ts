import assert from "node:assert/strict";
import * as z from "zod";
import { parsePayload } from "./parse_payload.ts";

Deno.test("parsePayload() accepts only valid payloads", () => {
  const schema = z.object({ n: z.int() });
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.deepEqual(parsePayload(schema, bytes('{"n":1}')), { n: 1 });
  assert.deepEqual(parsePayload(schema, bytes('{"n":1}'), 7), { n: 1 });
  assert.equal(parsePayload(schema, bytes('{"n":1}'), 6), undefined);
  assert.equal(parsePayload(schema, bytes('{"n":"1"}')), undefined);
  assert.equal(parsePayload(schema, bytes('{"n":1')), undefined);
  assert.equal(parsePayload(schema, Uint8Array.of(0x22, 0xff, 0x22)), undefined);
});
