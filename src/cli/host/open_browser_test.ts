import assert from "node:assert/strict";
import type { Environment } from "../session/global_flags.ts";
import { browserCommand } from "./open_browser.ts";

const URL = "http://localhost:8787/device?code=BCDF-GHJK&workspace=acme";

const ROWS: readonly (readonly [
  name: string,
  os: typeof Deno.build.os,
  env: Environment,
  command: readonly string[] | undefined,
])[] = [
  ["X11", "linux", { DISPLAY: ":0" }, ["xdg-open", URL]],
  ["Wayland", "linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open", URL]],
  ["Linux without a desktop", "linux", {}, undefined],
  ["an SSH session", "linux", { DISPLAY: ":10", SSH_CONNECTION: "a b c d" }, undefined],
  ["a Mac", "darwin", {}, ["open", URL]],
  ["a Mac over SSH", "darwin", { SSH_TTY: "/dev/pts/0" }, undefined],
  ["Windows", "windows", {}, ["rundll32", "url.dll,FileProtocolHandler", URL]],
  ["a chosen browser", "linux", { BROWSER: "/usr/bin/firefox" }, ["/usr/bin/firefox", URL]],
  ["a chosen command for a shell", "linux", { BROWSER: "sh -c 'x'" }, undefined],
];

for (const [name, os, env, command] of ROWS) {
  Deno.test(`browserCommand() for ${name}`, () => {
    assert.deepEqual(browserCommand(URL, { os, env }), command);
  });
}

Deno.test("browserCommand() opens only web URLs", () => {
  for (const url of ["file:///etc/passwd", "javascript:alert(1)", "-flag", ""]) {
    assert.equal(browserCommand(url, { os: "darwin", env: {} }), undefined);
  }
});
