import assert from "node:assert/strict";
import { join } from "node:path";
import type { GitCredentials } from "../projects/git_credentials.ts";
import { gitEnvironment, openRemote } from "./git_environment.ts";
import type { GitAddress } from "../../lib/git_url.ts";

const HTTP: GitAddress = {
  transport: "http",
  scheme: "https",
  url: "https://git.example.com:8443/a.git",
  host: "git.example.com",
  port: 8443,
  origin: "https://git.example.com:8443",
};
const SSH: GitAddress = {
  transport: "ssh",
  url: "git@git.example.com:a.git",
  host: "git.example.com",
  port: 22,
  origin: "ssh://git.example.com",
};
const TOKEN: GitCredentials = { type: "https", username: "ada", token: "s3cret-token" };
const KEY: GitCredentials = {
  type: "ssh",
  privateKey:
    "-----BEGIN OPENSSH PRIVATE KEY-----\nabcdefghijkl\n-----END OPENSSH PRIVATE KEY-----",
  knownHosts: "git.example.com ssh-ed25519 AAAA",
};

const root = Deno.makeTempDirSync({ prefix: "svc-git-env-" });
globalThis.addEventListener("unload", () => Deno.removeSync(root, { recursive: true }));

const parts = {
  folder: { root, home: root, path: "/usr/bin", network: {} },
  address: "203.0.113.7",
  knownHosts: "/nowhere/known hosts",
};

Deno.test("gitEnvironment() contains nothing from the machine's own environment", () => {
  const env = gitEnvironment({
    root: "/data/git",
    home: "/data/git/.home",
    path: "/usr/bin",
    network: {},
  });
  assert.equal(env.HOME, "/data/git/.home");
  assert.equal(env.GIT_CONFIG_NOSYSTEM, "1");
  assert.equal(env.GIT_TERMINAL_PROMPT, "0");
  assert.equal(Object.values(env).includes(Deno.env.get("HOME") ?? "/root"), false);
});

Deno.test("openRemote() passes a token via the environment, and only to the repository's origin", async () => {
  const { env, masker } = await openRemote(HTTP, { ...parts, credentials: TOKEN });
  assert.equal(env.GIT_ALLOW_PROTOCOL, "https");
  assert.equal(env.GIT_CONFIG_KEY_0, "http.curloptResolve");
  assert.equal(env.GIT_CONFIG_VALUE_0, "git.example.com:8443:203.0.113.7");
  assert.equal(env.GIT_CONFIG_KEY_1, "http.https://git.example.com:8443/.extraHeader");
  assert.equal(env.GIT_CONFIG_VALUE_1, `Authorization: Basic ${btoa("ada:s3cret-token")}`);
  assert.equal(masker.mask(`no: s3cret-token ${btoa("ada:s3cret-token")}`), "no: ••• •••");
});

Deno.test("openRemote() does not pass tokens to SSH, or keys to HTTPS", async () => {
  assert.equal((await openRemote(HTTP, { ...parts, credentials: KEY })).env.GIT_CONFIG_COUNT, "1");
  const access = await openRemote(SSH, { ...parts, credentials: TOKEN });
  assert.ok(!JSON.stringify(access.env).includes("s3cret"));
  await access.dispose();
});

/** Returns ssh's own interpretation of the config file. */
async function understood(command: string): Promise<Map<string, string>> {
  const { stdout, success, stderr } = await new Deno.Command("/bin/sh", {
    args: ["-c", `${command} -G git@git.example.com`],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const lines = new TextDecoder().decode(stdout).split("\n");
  return new Map(lines.map((line) => {
    const [name = "", ...rest] = line.split(" ");
    return [name, rest.join(" ")];
  }));
}

Deno.test("openRemote() writes a key that only its owner can read, and removes it", async () => {
  const access = await openRemote(SSH, { ...parts, credentials: KEY });
  const settings = await understood(access.env.GIT_SSH_COMMAND!);
  assert.equal(settings.get("hostname"), "203.0.113.7");
  assert.equal(settings.get("hostkeyalias"), "git.example.com");
  assert.equal(settings.get("batchmode"), "yes");
  assert.match(settings.get("stricthostkeychecking")!, /^(yes|true)$/);
  assert.equal(settings.get("identitiesonly"), "yes");
  const key = settings.get("identityfile")!;
  assert.equal((await Deno.stat(key)).mode! & 0o777, 0o600);
  assert.equal((await Deno.stat(join(key, ".."))).mode! & 0o777, 0o700);
  assert.equal(access.masker.mask("x abcdefghijkl"), "x •••");
  await access.dispose();
  await assert.rejects(Deno.stat(key));
});

Deno.test("openRemote() trusts a host's first key if the project names none", async () => {
  const access = await openRemote(SSH, { ...parts, credentials: { ...KEY, knownHosts: null } });
  const settings = await understood(access.env.GIT_SSH_COMMAND!);
  assert.equal(settings.get("stricthostkeychecking"), "accept-new");
  assert.match(settings.get("userknownhostsfile")!, /\/nowhere\/known hosts/);
  await access.dispose();
});
