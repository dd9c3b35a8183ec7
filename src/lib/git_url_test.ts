import assert from "node:assert/strict";
import { parseGitUrl } from "./git_url.ts";

const GOOD = [
  ["https://github.com/a/b.git", "http", "https://github.com"],
  ["HTTPS://GitHub.com/a/b", "http", "https://github.com"],
  ["http://127.0.0.1:8080/repo.git", "http", "http://127.0.0.1:8080"],
  ["https://[::1]:8443/repo.git", "http", "https://[::1]:8443"],
  ["ssh://git@host.example:2222/a/b.git", "ssh", "ssh://host.example:2222"],
  ["ssh://host.example/a.git", "ssh", "ssh://host.example"],
  ["git@github.com:a/b.git", "ssh", "ssh://github.com"],
  ["/srv/repos/site.git", "local", null],
  ["/srv/my repos/site", "local", null],
  ["file:///srv/repos/site.git", "local", null],
] as const;

Deno.test("parseGitUrl() tells transport and origin of an address", () => {
  for (const [url, transport, origin] of GOOD) {
    assert.deepEqual(parseGitUrl(url), { ok: true, address: { transport, origin } }, url);
  }
});

const BAD = [
  ["a program", "ext::sh -c id", /no spaces/],
  ["a program without spaces", "ext::id", /Must be an address/],
  ["an option", "--upload-pack=id", /Must be an address/],
  ["an option as host", "ssh://-oProxyCommand=id/x", /Must be an address/],
  ["an option as scp host", "-oProxyCommand=id:x", /Must be an address/],
  ["an option as path", "git@host:-x", /Must be an address/],
  ["a password", "https://ada:secret@host/x.git", /no user name or password/],
  ["a token as user", "https://ghp_123@host/x.git", /no user name or password/],
  ["a password for ssh", "ssh://ada:secret@host/x.git", /no user name or password/],
  ["no host", "https:///x.git", /name a host/],
  ["a relative path", "../x", /Must be an address/],
  ["a line feed", "https://host/x\n.git", /no control/],
  ["a line feed in a path", "/srv/x\ny", /no control/],
  ["another scheme", "git://host/x", /Must be an address/],
  ["a file on a host", "file://host/x", /Must be an address/],
] as const;

Deno.test("parseGitUrl() refuses", () => {
  for (const [name, url, problem] of BAD) {
    const result = parseGitUrl(url);
    assert.ok(!result.ok, name);
    assert.match(result.problem, problem, name);
    assert.doesNotMatch(result.problem, /secret|ghp_/, name);
  }
});
