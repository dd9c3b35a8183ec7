/** Deploys a Nitro project without configuration, except for a rule for its assets. */
import assert from "node:assert/strict";
import { testFramework } from "../helpers/frameworks.ts";
import { WebSocket } from "ws";

/** Sends one message over a WebSocket and returns the first response. */
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
    socket.on("close", (code) => reject(new Error(`Closed with ${code} before a response`)));
  });
}

testFramework("nitro", {
  title: "Nitro",
  layers: { public: "STATIC", server: "COMPUTE" },
  assets: {
    page: "/",
    pattern: /\/assets\/[\w.-]+\.css/,
    missing: "/assets/style.00000000.css",
  },
  async also(project) {
    assert.equal(await talk(project.origin, "/_ws"), "heard ahoy");
  },
});
