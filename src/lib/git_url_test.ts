import assert from "node:assert/strict";
import { type GitAddress, parseGitUrl } from "./git_url.ts";

const REMOTE: readonly (readonly [text: string, address: GitAddress])[] = [
  ["https://github.com/a/b.git", {
    transport: "http",
    url: "https://github.com/a/b.git",
    scheme: "https",
    host: "github.com",
    port: 443,
    origin: "https://github.com",
  }],
  ["HTTPS://GitHub.com/a/b", {
    transport: "http",
    url: "https://github.com/a/b",
    scheme: "https",
    host: "github.com",
    port: 443,
    origin: "https://github.com",
  }],
  ["http://127.0.0.1:8080/repo.git", {
    transport: "http",
    url: "http://127.0.0.1:8080/repo.git",
    scheme: "http",
    host: "127.0.0.1",
    port: 8080,
    origin: "http://127.0.0.1:8080",
  }],
  ["https://[::1]:8443/repo.git", {
    transport: "http",
    url: "https://[::1]:8443/repo.git",
    scheme: "https",
    host: "::1",
    port: 8443,
    origin: "https://[::1]:8443",
  }],
  ["ssh://git@host.example:2222/~/b.git", {
    transport: "ssh",
    url: "ssh://git@host.example:2222/~/b.git",
    host: "host.example",
    port: 2222,
    origin: "ssh://host.example:2222",
  }],
  ["ssh://host.example/a.git", {
    transport: "ssh",
    url: "ssh://host.example/a.git",
    host: "host.example",
    port: 22,
    origin: "ssh://host.example",
  }],
  ["git@github.com:a/b.git", {
    transport: "ssh",
    url: "git@github.com:a/b.git",
    host: "github.com",
    port: 22,
    origin: "ssh://github.com",
  }],
  ["git@[2001:db8::1]:a/b.git", {
    transport: "ssh",
    url: "git@[2001:db8::1]:a/b.git",
    host: "2001:db8::1",
    port: 22,
    origin: "ssh://[2001:db8::1]",
  }],
];

Deno.test("parseGitUrl() reads URLs on other machines", () => {
  for (const [text, address] of REMOTE) {
    assert.deepEqual(parseGitUrl(text), { ok: true, address }, text);
  }
});

Deno.test("parseGitUrl() reads paths on this machine", () => {
  const rows = [
    ["/srv/repos/site.git", "/srv/repos/site.git"],
    ["/srv/my repos/site", "/srv/my repos/site"],
    ["file:///srv/repos/site.git", "/srv/repos/site.git"],
  ] as const;
  for (const [text, path] of rows) {
    const address = { transport: "local", path, origin: null };
    assert.deepEqual(parseGitUrl(text), { ok: true, address }, text);
  }
});

const BAD = [
  ["a program", "ext::sh -c id", /not contain spaces/],
  ["a program without spaces", "ext::id", /Must be a URL or path/],
  ["an option", "--upload-pack=id", /Must be a URL or path/],
  ["an option as host", "ssh://-oProxyCommand=id/x", /Must be a URL or path/],
  ["an option as scp host", "-oProxyCommand=id:x", /Must be a URL or path/],
  ["a program by its file descriptors", "fd::17/foo", /Must be a URL or path/],
  ["an option as user", "ssh://-x@host/y", /Must be a URL or path/],
  ["an option as scp path", "host:-oProxyCommand=x", /Must be a URL or path/],
  ["an option as path", "git@host:-x", /Must be a URL or path/],
  ["a password", "https://ada:secret@host/x.git", /not contain a user name or password/],
  ["a token as user", "https://ghp_123@host/x.git", /not contain a user name or password/],
  ["a password for ssh", "ssh://ada:secret@host/x.git", /not contain a user name or password/],
  ["no host", "https:///x.git", /have a host/],
  ["a relative path", "../x", /Must be a URL or path/],
  ["a line feed", "https://host/x\n.git", /control characters/],
  ["a line feed in a path", "/srv/x\ny", /control characters/],
  ["a control character in a path", "/srv/x\x1b", /control characters/],
  ["a broken escape", "file:///srv/git/%zz", /plain path/],
  ["a port out of range", "https://host:99999/x", /have a host/],
  ["another scheme", "git://host/x", /Must be a URL or path/],
  ["a file on a host", "file://host/x", /Must be a URL or path/],
] as const;

Deno.test("parseGitUrl() refuses invalid and unsafe URLs", () => {
  for (const [name, url, problem] of BAD) {
    const result = parseGitUrl(url);
    assert.ok(!result.ok, name);
    assert.match(result.problem, problem, name);
    assert.doesNotMatch(result.problem, /secret|ghp_/, name);
  }
});
