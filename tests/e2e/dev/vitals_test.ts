/** `svc dev` and `svc preview` must serve the web vitals script if the project enables it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startServing } from "../../helpers/dev_program.ts";
import { testNeeding } from "../../helpers/empty_root.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const PAGE = '<!doctype html><script defer src="/_svc/vitals.js"></script>';
const SERVER = `require("node:http").createServer((_, response) => {
  response.statusCode = 418;
  response.end("of the project");
}).listen(process.env.PORT);`;

/**
 * Requests the script and sends a beacon, for a project with this `svc.toml`. Returns the
 * responses.
 */
async function askOf(config: string, command: string) {
  return await inTestFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "svc.toml"), config);
    await Deno.writeTextFile(join(folder, "index.html"), PAGE);
    if (config.includes("server.cjs")) {
      await Deno.writeTextFile(join(folder, "server.cjs"), SERVER);
    }
    const served = await startServing([command, "--port", "0"], { cwd: folder });
    try {
      const ask = async (path: string, init: RequestInit = {}) => {
        const answer = await fetch(`http://127.0.0.1:${served.port}${path}`, init);
        return [answer.status, await answer.text()] as const;
      };
      const beacon = (body: string) => ask("/_svc/vitals", { method: "POST", body });
      const [script, text] = await ask("/_svc/vitals.js");
      return {
        script,
        isOurs: text.includes("sendBeacon"),
        taken: (await beacon('{"p":"/","lcp":9}'))[0],
        refused: (await beacon("no beacon"))[0],
      };
    } finally {
      await served.end();
    }
  });
}

const WANTED = { script: 200, isOurs: true, taken: 204, refused: 400 };
const ASKS = "[traffic]\nvitals = true\n";

Deno.test("svc dev and svc preview serve the web vitals script to a static project", async () => {
  assert.deepEqual(await askOf(ASKS, "dev"), WANTED);
  assert.deepEqual(await askOf(ASKS, "preview"), WANTED);
});

Deno.test("svc dev serves the web vitals script only if the project enables it", async () => {
  const { script, isOurs, taken } = await askOf("", "dev");
  assert.deepEqual([script, isOurs, taken], [404, false, 404]);
});

testNeeding("sh", "node")(
  "svc dev serves the web vitals script in front of a project's server",
  async () => {
    const server = '[dev]\ncommand = "node server.cjs"\n';
    assert.deepEqual(await askOf(server + ASKS, "dev"), WANTED);
    assert.equal((await askOf(server, "dev")).script, 418);
  },
);
