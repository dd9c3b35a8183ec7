/**
 * Kills the platform with `kill -9` while events are raised and inboxes change. Afterwards,
 * everything that was acknowledged must exist exactly once.
 */
import assert from "node:assert/strict";
import { TOKEN, withSandbox } from "../helpers/sandbox.ts";

const ROUNDS = 4;
const AT_ONCE = 16;

interface Item {
  readonly data: { readonly project?: string };
}

Deno.test("after kill -9, acknowledged events are in the inbox once, and bulk changes persist", () =>
  withSandbox(async (box) => {
    const acknowledged = new Set<string>();
    let url = "";
    const call = (method: string, path: string, body?: unknown) =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const page = async (query: string) =>
      await (await call("GET", `/v1/notifications?${query}`)).json();
    async function projects(query: string): Promise<string[]> {
      const names: string[] = [];
      for (let offset = 0, total = 1; offset < total; offset += 100) {
        const { items, total: all } = await page(`${query}&limit=100&offset=${offset}`);
        total = all;
        names.push(...items.flatMap(({ data }: Item) => data.project ?? []));
      }
      return names;
    }
    let next = 0;
    async function raiseUntilDead(): Promise<void> {
      try {
        while (true) {
          const project = `p${next++}`;
          const body = { event: "deployment.live", data: { project } };
          const answer = await call("POST", "/v1/events", body);
          await answer.body?.cancel();
          if (!answer.ok) return;
          acknowledged.add(project);
        }
      } catch {
        // The platform has been killed, which ends the round.
      }
    }

    let platform = await box.start();
    url = platform.url;
    let archived = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const raising = Array.from({ length: AT_ONCE }, raiseUntilDead);
      await new Promise((resolve) => setTimeout(resolve, 250 + round * 60));
      await platform.kill();
      await Promise.all(raising);
      platform = await box.start();
      url = platform.url;
      // Events are passed on in order. Once the API has responded to this one, all earlier ones
      // have been passed on.
      const last = await call("POST", "/v1/events", { event: "deployment.live" });
      assert.equal(last.status, 200);
      await last.body?.cancel();
      const inbox = await projects("archived=false");
      const all = [...inbox, ...await projects("archived=true")];
      assert.equal(new Set(all).size, all.length, "No event appears twice");
      const seen = new Set(all);
      const lost = [...acknowledged].filter((project) => !seen.has(project));
      assert.deepEqual(lost, []);
      assert.deepEqual([...archived].filter((project) => inbox.includes(project)), []);

      await call("POST", "/v1/notifications/archive-all").then((answer) => answer.body?.cancel());
      archived = new Set(all);
    }
    assert.ok(acknowledged.size > 50, `Only ${acknowledged.size} events were acknowledged`);
  }));
