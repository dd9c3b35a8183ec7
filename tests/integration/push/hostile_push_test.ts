/** Requests that no git sends, to the address that git pushes to. */
import assert from "node:assert/strict";
import { start, TOKEN } from "../../helpers/platform.ts";
import { makeTestFolder } from "../../../src/lib/_test_folder.ts";

const NONE = "0".repeat(40);
const SHA = "a".repeat(40);
const CAPABILITIES = "report-status side-band-64k";
const encoder = new TextEncoder();

const line = (text: string) =>
  (encoder.encode(text).length + 4).toString(16).padStart(4, "0") + text;
const command = (ref: string, from = NONE, to = SHA) =>
  `${line(`${from} ${to} ${ref}\0${CAPABILITIES}`)}0000`;

/** Heads of pushes, some before something that is no pack. */
const BODIES: readonly string[] = [
  "",
  "0001",
  "zzzz",
  "ffff",
  "\0\0\0\0",
  "PACK",
  line("want " + SHA),
  line(`${NONE} ${SHA} refs/heads/main`),
  `${line(`${NONE} ${SHA} refs/heads/main`)}0000PACK`,
  `${line(`shallow ${SHA}`)}${command("refs/heads/main")}`,
  `${line("push-cert\0push-options")}0000`,
  `${
    Array.from({ length: 1100 }, (_, index) => line(`${NONE} ${SHA} refs/heads/b${index}`)).join("")
  }0000`,
  ...[
    "refs/heads/../../config",
    "refs/heads/a..b",
    "refs/heads/.git",
    "refs/heads/a.lock",
    "refs/heads/-x",
    "refs/heads/a\\b",
    "refs/heads/a~1",
    "refs/heads/@{u}",
    "refs/heads/\u202e",
    "refs/replace/" + SHA,
    "refs/notes/x",
    "refs/remotes/origin/main",
    "HEAD",
    "config",
    "objects/info/alternates",
    "../../../etc/passwd",
    "refs/heads/$(touch /tmp/x)",
    "refs/heads/;rm -rf",
  ].map((ref) => `${command(ref)}PACK`),
  // These reach git: no pack, one that is cut off, and one that counts more than it has.
  command("refs/heads/main"),
  `${command("refs/heads/main")}PACK\0\0\0\x02\0\0\0\x01`,
  `${command("refs/heads/main")}PACK\0\0\0\x02\x7f\x7f\x7f\x7f`,
];

const PATHS: readonly string[] = [
  "/git/WORKSPACE/shop",
  "/git/WORKSPACE/other.git",
  "/git/other/shop.git",
  "/git/WORKSPACE/..%2Fshop.git",
  "/git/WORKSPACE/shop.git%00",
  "/git/%2e%2e/shop.git",
  "/git/WORKSPACE/shop.git.git",
];

Deno.test("200 hostile pushes are refused, and leave nothing on disk", async () => {
  const folder = await makeTestFolder("svc-hostile-push-");
  const { api, port, dataDir, shutdown } = await start(`${folder}/data`);
  try {
    const { json } = await api("POST", "/v1/projects", { json: { name: "shop" } });
    const right = `/git/${json.workspace}/shop.git`;
    const basic = (key: string) => `Basic ${encoder.encode(`svc:${key}`).toBase64()}`;
    let count = 0;
    const attack = async (path: string, body: string, fields: Record<string, string> = {}) => {
      count++;
      const response = await fetch(`http://127.0.0.1:${port}${path}/git-receive-pack`, {
        method: "POST",
        headers: {
          "content-type": "application/x-git-receive-pack-request",
          authorization: basic(TOKEN),
          ...fields,
        },
        body,
      });
      const text = await response.text();
      const isRefused = response.status >= 400 && response.status < 500 ||
        /[0-9a-f]{4}ng \S+ |unpack (?!ok)/.test(text);
      assert.ok(
        isRefused,
        `${path} ${JSON.stringify(body.slice(0, 90))}: ${response.status} ${text}`,
      );
    };
    for (const body of BODIES) {
      await attack(right, body);
      for (const key of ["", "wrong", `${TOKEN}x`]) {
        await attack(right, body, { authorization: basic(key) });
      }
      await attack(right, body, { authorization: `Bearer ${TOKEN}` });
      await attack(right, body, { "content-type": "application/json" });
      await attack(right, body, { "content-encoding": "br" });
    }
    for (const path of PATHS) await attack(path.replace("WORKSPACE", json.workspace), BODIES[8]!);
    assert.ok(count >= 200, String(count));
    for (const name of ["repositories", "builds"]) {
      const left = await Array.fromAsync(Deno.readDir(`${dataDir}/${name}`)).catch(() => []);
      assert.deepEqual(left, [], name);
    }
    assert.deepEqual((await api("GET", "/v1/projects/shop/deployments")).json.items, []);
  } finally {
    await shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});
