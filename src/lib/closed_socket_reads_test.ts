import assert from "node:assert/strict";
import { isClosedSocketRead } from "./closed_socket_reads.ts";

const MESSAGE = "Cannot read properties of undefined (reading 'Symbol(Deno.internal.rid)')";

function failure(message: string, place: string): TypeError {
  const error = new TypeError(message);
  error.stack = `TypeError: ${message}\n    at Pipe.#read (${place}:241:45)`;
  return error;
}

Deno.test("isClosedSocketRead() recognizes the runtime's error, and no other", () => {
  const place = "ext:deno_node/internal_binding/stream_wrap.ts";
  assert.equal(isClosedSocketRead(failure(MESSAGE, place)), true);
  assert.equal(isClosedSocketRead(failure(MESSAGE, "file:///app/main.ts")), false);
  assert.equal(isClosedSocketRead(failure("x is not a function", place)), false);
  assert.equal(isClosedSocketRead(undefined), false);
});
