import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { findCredential } from "./credentials.ts";
import {
  CredentialsFileError,
  credentialsPath,
  loadCredentials,
  removeLogin,
  saveLogin,
  setDefaultWorkspace,
} from "./credentials_file.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

const LOGIN = {
  apiUrl: "http://localhost:8787",
  workspace: "default",
  token: "svc_secret",
  savedAt: new Date("2026-11-21T00:00:00Z"),
};

async function withHome(run: (path: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (home) => {
    await run(credentialsPath({ home }));
  });
}

async function write(path: string, text: string, mode = 0o600): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
  await Deno.chmod(path, mode);
}

const modeOf = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o777;

Deno.test("credentialsPath() follows XDG_CONFIG_HOME if it is absolute", () => {
  const home = "/home/ann";
  const usual = "/home/ann/.config/svc/credentials.json";
  assert.equal(credentialsPath({ home }), usual);
  assert.equal(credentialsPath({ home, xdgConfigHome: "relative" }), usual);
  assert.equal(credentialsPath({ home, xdgConfigHome: "" }), usual);
  assert.equal(credentialsPath({ home, xdgConfigHome: "/cfg" }), "/cfg/svc/credentials.json");
});

Deno.test("loadCredentials() returns no logins if there is no file", () =>
  withHome(async (path) => {
    const { credentials, warnings } = await loadCredentials(path);
    assert.equal(findCredential(credentials), undefined);
    assert.deepEqual(warnings, []);
  }));

Deno.test("saveLogin() writes a file that only its owner can read, and leaves no other file behind", () =>
  withHome(async (path) => {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await saveLogin(path, LOGIN);
    await saveLogin(path, { ...LOGIN, workspace: "other", token: "t2" });
    assert.equal(await modeOf(path), 0o600);
    assert.equal(await modeOf(dirname(path)), 0o700);
    assert.deepEqual([...Deno.readDirSync(dirname(path))].length, 1);
    const { credentials, warnings } = await loadCredentials(path);
    assert.deepEqual(warnings, []);
    assert.equal(findCredential(credentials, { workspace: "default" })?.token, "svc_secret");
    assert.equal(findCredential(credentials)?.token, "t2");
  }));

Deno.test("saveLogin() restricts a file that others could read", () =>
  withHome(async (path) => {
    await write(path, '{"version":1,"platforms":{}}', 0o644);
    await saveLogin(path, LOGIN);
    assert.equal(await modeOf(path), 0o600);
  }));

Deno.test("saveLogin() refuses a token that is not a valid header value", () =>
  withHome(async (path) => {
    await assert.rejects(saveLogin(path, { ...LOGIN, token: "a\r\nb" }), TypeError);
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  }));

Deno.test("loadCredentials() warns about a file that others can read", () =>
  withHome(async (path) => {
    await write(path, '{"version":1,"platforms":{}}', 0o640);
    const { warnings } = await loadCredentials(path);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /mode 640.*chmod 600/);
  }));

const BROKEN = [
  { name: "invalid JSON", text: '{"token": "svc_secret", ' },
  { name: "another shape", text: '{"version":1,"platforms":{"http://x":{"logins":"svc_secret"}}}' },
  { name: "another version", text: '{"version":2,"platforms":{}}' },
  { name: "an unknown key", text: '{"version":1,"platforms":{},"token":"svc_secret"}' },
  { name: "no content", text: "" },
] as const;

for (const { name, text } of BROKEN) {
  Deno.test(`a credentials file with ${name} is reported and kept, and its content is not repeated`, () =>
    withHome(async (path) => {
      await write(path, text);
      for (
        const attempt of [
          () => loadCredentials(path),
          () => saveLogin(path, LOGIN),
          () => removeLogin(path, { apiUrl: LOGIN.apiUrl }),
          () => setDefaultWorkspace(path, LOGIN),
        ]
      ) {
        await assert.rejects(
          attempt,
          (error: unknown) =>
            error instanceof CredentialsFileError && error.message.includes(path) &&
            !error.message.includes("svc_secret"),
        );
      }
      assert.equal(await Deno.readTextFile(path), text);
    }));
}

Deno.test("loadCredentials() refuses a directory with the file's name", () =>
  withHome(async (path) => {
    await Deno.mkdir(path, { recursive: true });
    await assert.rejects(loadCredentials(path), CredentialsFileError);
  }));

Deno.test("setDefaultWorkspace() stores a choice even if no one has logged in", () =>
  withHome(async (path) => {
    await setDefaultWorkspace(path, LOGIN);
    const { platforms } = (await loadCredentials(path)).credentials;
    assert.deepEqual(platforms, { [LOGIN.apiUrl]: { defaultWorkspace: "default", logins: {} } });
  }));

Deno.test("removeLogin() reports whether there was something to remove", () =>
  withHome(async (path) => {
    assert.equal(await removeLogin(path, LOGIN), false);
    await saveLogin(path, LOGIN);
    await setDefaultWorkspace(path, { ...LOGIN, workspace: "other" });
    assert.equal(findCredential((await loadCredentials(path)).credentials)?.workspace, "other");
    assert.equal(await removeLogin(path, { apiUrl: LOGIN.apiUrl }), true);
    assert.equal(findCredential((await loadCredentials(join(path))).credentials), undefined);
  }));
