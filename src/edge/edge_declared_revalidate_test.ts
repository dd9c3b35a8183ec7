/**
 * Tests revalidation and purges of pages, whether their lifetime is set by a route or by the
 * response.
 */
import assert from "node:assert/strict";
import { MemoryIsrStore } from "./_test_compute.ts";
import { counting, declaredEdge } from "./_test_declared.ts";

for (const revalidate of [undefined, 600]) {
  const kind = revalidate === undefined ? "declared" : "route";
  const headers = {
    "cache-control": "s-maxage=600, stale-while-revalidate=600",
    "svc-cache-tag": "posts, a",
  };
  const world = revalidate === undefined ? {} : { revalidate };

  Deno.test(`revalidate() removes ${kind} pages by path and by tag in one call`, async () => {
    const edge = declaredEdge(counting(headers), world);
    const { pages } = edge.compute;
    await edge.get("/blog/a");
    void pages.revalidate([{ type: "tag", tag: "posts" }], {});
    assert.equal(await edge.get("/blog/a"), "MISS page 2");
    void pages.revalidate([{ type: "path", path: "/blog/a" }, { type: "path", path: "/b" }], {});
    assert.equal(await edge.get("/blog/a"), "MISS page 3");
    void pages.revalidate([{ type: "tag", tag: "other" }, { type: "path", path: "/blog" }], {});
    assert.equal(await edge.get("/blog/a"), "HIT page 3");
  });

  Deno.test(`a soft purge marks ${kind} pages as stale`, async () => {
    const edge = declaredEdge(counting(headers), world);
    await edge.get("/blog/a");
    const purged = await edge.compute.pages.purge({ type: "tag", tag: "a" }, { soft: true });
    assert.equal(purged, 1);
    assert.equal(await edge.get("/blog/a"), "STALE page 1");
    assert.equal(await edge.get("/blog/a"), "HIT page 2");
  });

  Deno.test(`a purge of ${kind} pages by tag removes them from the disk`, async () => {
    const store = new MemoryIsrStore();
    const before = declaredEdge(counting(headers), { ...world, store });
    await before.get("/blog/a");
    await before.get("/blog/b");
    const after = declaredEdge(counting(headers), { ...world, store });
    assert.equal(await after.compute.pages.purge({ type: "tag", tag: "none" }), 0);
    assert.equal(await after.compute.pages.purge({ type: "tag", tag: "posts" }), 2);
    assert.equal(store.pages.size, 0);
  });

  Deno.test(`a ${kind} page requested before a revalidation is not fresh after it`, async () => {
    for (const soft of [false, true]) {
      let gate = Promise.withResolvers<void>();
      let count = 0;
      const edge = declaredEdge(async () => {
        await gate.promise;
        return new Response(`page ${++count}`, { headers });
      }, world);
      const asking = edge.get("/");
      await edge.settle();
      void edge.compute.pages.revalidate([{ type: "path", path: "/" }], { soft });
      gate.resolve();
      assert.equal(await asking, "MISS page 1");
      gate = Promise.withResolvers<void>();
      gate.resolve();
      assert.equal(await edge.get("/"), soft ? "STALE page 1" : "MISS page 2");
      assert.equal(await edge.get("/"), "HIT page 2");
    }
  });
}
