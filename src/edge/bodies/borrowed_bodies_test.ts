import assert from "node:assert/strict";
import { BodyPool } from "./body_pool.ts";
import { BorrowedBodies } from "./borrowed_bodies.ts";
import { PoolReader, sharePool } from "./pool_memory.ts";
import { PooledBody } from "./stored_body.ts";

const SIZE = 13 * 1024;
const text = (number: number) => String(number % 10).repeat(SIZE);

function borrow(capacity: number) {
  const memory = sharePool(100 * SIZE);
  const pool = new BodyPool(memory);
  const bodies = new BorrowedBodies(new PoolReader(memory), capacity);
  const put = (number: number) => {
    const body = bodies.keep(structuredClone(pool.put(text(number))!));
    assert.ok(body instanceof PooledBody);
    return body;
  };
  return { pool, bodies, put };
}

Deno.test("borrowed bodies that are read stay in memory here, within their bound", () => {
  const { bodies, put } = borrow(20 * SIZE);
  const all = Array.from({ length: 40 }, (_, number) => put(number));
  assert.equal(bodies.heldBytes, 0);
  for (const [number, body] of all.entries()) assert.equal(body.read(), text(number));
  assert.equal(bodies.heldBytes, 20 * SIZE);
  for (const body of all) bodies.drop(body);
  assert.equal(bodies.heldBytes, 0);
});

Deno.test("a borrowed body that is held here outlives its place, one that is not is gone", () => {
  const { pool, bodies, put } = borrow(20 * SIZE);
  const [read, unread] = [put(1), put(2)];
  assert.equal(read.read(), text(1));
  for (const body of [read, unread]) pool.free(body.place);
  for (let number = 3; number < 50; number++) pool.put(text(number));
  assert.equal(read.read(), text(1));
  assert.equal(unread.read(), undefined);
  bodies.drop(read);
  assert.equal(read.read(), undefined);
});

Deno.test("a borrowed body that would fill the memory here is read anew each time", () => {
  const { bodies, put } = borrow(2 * SIZE);
  const body = put(1);
  assert.deepEqual([body.read(), body.read()], [text(1), text(1)]);
  assert.equal(bodies.heldBytes, 0);
});

Deno.test("the cost of a borrowed body is what is held of it here", () => {
  const { pool, bodies } = borrow(0);
  const place = pool.put(text(1))!;
  assert.ok(bodies.cost(place) < 500, `${bodies.cost(place)} bytes`);
  assert.equal(bodies.keep(text(1)), undefined, "it borrows, and keeps nothing of its own");
});

Deno.test("a body that is asked for often gets into memory that is full, and a walk changes little", () => {
  const { pool, put } = borrow(20 * SIZE);
  const walked = Array.from({ length: 60 }, (_, number) => put(number));
  for (const body of walked) body.read();
  const often = put(7);
  for (let time = 0; time < 16; time++) often.read();
  pool.free(often.place);
  assert.equal(often.read(), text(7));
  for (const { place } of walked) pool.free(place);
  const kept = walked.slice(0, 20).filter((body) => body.read() !== undefined).length;
  assert.ok(kept >= 16, `${kept} of the first 20 are still held`);
});
