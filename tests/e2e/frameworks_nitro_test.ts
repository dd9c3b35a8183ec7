/** A Nitro project, deployed with nothing configured but a rule for its assets. */
import assert from "node:assert/strict";
import {
  canInstall,
  checkImmutable,
  checkProject,
  deployFramework,
  layersOf,
} from "./_frameworks.ts";
import { WebSocket } from "ws";
import { withSandbox } from "./_sandbox.ts";

/** Says one thing and returns the first answer. */
function talk(origin: string, path: string): Promise<string> {
  const { host, port } = new URL(origin);
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { host } });
  return new Promise((resolve, reject) => {
    socket.on("open", () => socket.send("ahoy"));
    socket.on("message", (data) => {
      resolve(String(data));
      socket.close();
    });
    socket.on("error", reject);
    socket.on("close", (code) => reject(new Error(`Closed with ${code} before an answer`)));
  });
}

Deno.test({
  name: "a Nitro project is built and its server answers",
  ignore: !canInstall,
  async fn() {
    await withSandbox(async (box) => {
      const project = await deployFramework(box, "nitro");
      assert.deepEqual(layersOf(project), { public: "STATIC", server: "COMPUTE" });
      await checkProject(project);
      await checkImmutable(project, {
        page: "/",
        pattern: /\/assets\/[\w.-]+\.css/,
        missing: "/assets/style.00000000.css",
      });
      assert.equal(await talk(project.origin, "/_ws"), "heard ahoy");
    });
  },
});
