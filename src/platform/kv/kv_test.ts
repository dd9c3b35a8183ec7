import assert from "node:assert/strict";
import { EnvironmentStore } from "../environments/mod.ts";
import { ProjectStore } from "../projects/mod.ts";
import { createKv } from "./create_kv.ts";
import { DenoStore } from "../../store/mod.ts";

const RANDOM = (count: number) => crypto.getRandomValues(new Uint8Array(count));

Deno.test("servers in a project's environment share a store that no other servers can reach", async () => {
  const kv = await DenoStore.open(":memory:");
  const { kvFor, capability } = createKv({
    kv,
    isOnlyWriter: true,
    now: Date.now,
    random: RANDOM,
    onTrouble: (message) => assert.fail(message),
  }, {
    projects: new ProjectStore(kv),
    environments: new EnvironmentStore(kv),
    queueSecretOf: () => "",
    answerQueue: () => Promise.reject(new Error("nobody sends")),
  });
  const of = (deploymentId: string, projectId: string, environment: string) => {
    const { SVC_KV_URL: url, SVC_KV_TOKEN: token } =
      kvFor({ deploymentId, projectId, environment }).variables;
    return async (method: string, body?: string) => {
      const response = await fetch(`${url}/v1/value?key=boat`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body }),
      });
      return { status: response.status, text: await response.text() };
    };
  };
  try {
    const [first, next] = [of("d1", "harbour", "production"), of("d2", "harbour", "production")];
    const others = [of("d3", "harbour", "preview"), of("d4", "shop", "production")];
    await first("PUT", "Kestrel");
    assert.equal((await next("GET")).text, "Kestrel");
    for (const other of others) {
      assert.equal((await other("GET")).status, 404);
      await other("PUT", "Heron");
    }
    await capability.removeEnvironment?.({
      projectId: "harbour",
      projectName: "harbour",
      name: "preview",
    });
    assert.equal((await others[0]!("GET")).status, 401);
    const left = await Array.fromAsync(kv.list({ prefix: ["user_kv", "heads", "harbour"] }));
    assert.deepEqual(left.map(({ key }) => key.slice(3)), [["production", "boat"]]);
    assert.equal((await first("GET")).text, "Kestrel");
    await capability.forgetProject?.("harbour");
    assert.equal((await first("GET")).status, 401);
    assert.equal((await others[1]!("GET")).text, "Heron");
  } finally {
    await capability.close?.();
    kv.close();
  }
});
