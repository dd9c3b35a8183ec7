import assert from "node:assert/strict";
import { MAX_MARKS, PageMarks } from "./page_marks.ts";

const page = { path: "/blog/a", tags: ["posts", "a"], askedAt: 100 };

for (
  const [scope, isMeant] of [
    [{ type: "all" }, true],
    [{ type: "path", path: "/blog/a" }, true],
    [{ type: "path", path: "/blog" }, false],
    [{ type: "prefix", prefix: "/blog/" }, true],
    [{ type: "prefix", prefix: "/shop/" }, false],
    [{ type: "tag", tag: "posts" }, true],
    [{ type: "tag", tag: "/blog/a" }, false],
  ] as const
) {
  Deno.test(`PageMarks judges a page by ${JSON.stringify(scope)}`, () => {
    for (const soft of [false, true]) {
      const marks = new PageMarks();
      marks.add(scope, { soft, at: 200 });
      const judgment = soft ? { type: "stale", since: 200 } : { type: "gone" };
      assert.deepEqual(marks.judge(page), isMeant ? judgment : { type: "current" });
    }
  });
}

Deno.test("PageMarks keeps a page that was requested after the purge", () => {
  const marks = new PageMarks();
  const before = { ...page, order: marks.order };
  marks.add({ type: "tag", tag: "a" }, { soft: false, at: 100 });
  assert.equal(marks.judge(before).type, "gone", "in the same millisecond");
  assert.equal(marks.judge({ ...page, order: marks.order }).type, "current");
  assert.equal(marks.judge({ ...page, askedAt: 101 }).type, "current");
});

Deno.test("PageMarks survives a restart, and removals take precedence over stale marks", () => {
  const before = new PageMarks();
  before.add({ type: "tag", tag: "posts" }, { soft: true, at: 150 });
  const after = new PageMarks();
  const read = { ...page, order: after.order };
  after.addStored(before.encode());
  after.addStored(new TextEncoder().encode("{"));
  assert.deepEqual(after.judge(page), { type: "stale", since: 150 });
  assert.deepEqual(after.judge(read), { type: "stale", since: 150 });
  assert.equal(after.judge({ ...page, askedAt: 151, order: 0 }).type, "current");
  after.add({ type: "path", path: "/blog/a" }, { soft: false, at: 160 });
  assert.equal(after.judge(page).type, "gone");
});

Deno.test("PageMarks is limited: dropped marks apply to all older pages", () => {
  const marks = new PageMarks();
  for (let index = 0; index <= MAX_MARKS; index++) {
    marks.add({ type: "tag", tag: `t${index}` }, { soft: false, at: 1000 + index });
  }
  const other = { path: "/other", tags: [] };
  assert.equal(marks.judge({ ...other, askedAt: 1000 }).type, "gone");
  assert.equal(marks.judge({ ...other, askedAt: 1000 + MAX_MARKS }).type, "current");
  const last = { ...other, tags: [`t${MAX_MARKS}`], askedAt: 1000 + MAX_MARKS };
  assert.equal(marks.judge(last).type, "gone");
  assert.ok(JSON.parse(new TextDecoder().decode(marks.encode())).marks.length < MAX_MARKS);
});
