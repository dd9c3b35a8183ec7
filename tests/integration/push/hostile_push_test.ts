/**
 * Sends requests to git's push URL that git never sends, and uses keys that are not allowed to
 * push.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { until } from "../../../src/lib/_test_until.ts";
import {
  type Bytes,
  bytesOf,
  commit,
  joined,
  NONE,
  pack,
  tree,
} from "../../helpers/hostile_packs.ts";
import {
  type Attack,
  basic,
  command,
  line,
  type Target,
  underAttack,
} from "../../helpers/hostile_push.ts";
import { signUpWithWorkspace } from "../../helpers/browser.ts";
import { type TestPlatform, TOKEN } from "../../helpers/platform.ts";

const SHA = "a".repeat(40);
const UNREADABLE =
  /Cannot read the push|Cannot take a push|Cannot change more than|Use a newer git|Cannot read the body/;

const EMPTY = tree([]);
const HEAD = commit(EMPTY.sha);

/** Encodes a push that is valid except for the change in the test case. */
const push = (change: Parameters<typeof command>[1] & { readonly ref?: string | Uint8Array }) =>
  joined(
    command(change.ref ?? "refs/heads/main", { to: HEAD.sha, ...change }),
    pack([EMPTY, HEAD]),
  );
const GOOD = push({});

const REFS: readonly string[] = [
  "refs/heads/../../config",
  "refs/heads/..",
  "refs/heads/.",
  "refs/heads/a..b",
  "refs/heads/.git",
  "refs/heads/.hidden",
  "refs/heads/a/.hidden",
  "refs/heads/a.lock",
  "refs/heads/a.lock/b",
  "refs/heads/a.",
  "refs/heads/-x",
  "refs/heads/--upload-pack=x",
  "refs/heads/a\\b",
  "refs/heads/a~1",
  "refs/heads/a^",
  "refs/heads/a:b",
  "refs/heads/a?",
  "refs/heads/a*",
  "refs/heads/[a",
  "refs/heads/@{u}",
  "refs/heads/a//b",
  "refs/heads//a",
  "refs/heads/a/",
  "refs/heads/",
  "refs/heads",
  "refs/",
  "refs/heads/\u202e",
  "refs/heads/main\u2066",
  "refs/heads/a\u009b31m",
  "refs/heads/a\u0001b",
  "refs/heads/a\u007f",
  "refs/heads/a\u001b[31m",
  `refs/heads/${"x".repeat(300)}`,
  `refs/heads/${"x/".repeat(2000)}x`,
  "refs/heads/$(touch /tmp/x)",
  "refs/heads/;rm -rf",
  `refs/replace/${SHA}`,
  "refs/notes/x",
  "refs/remotes/origin/main",
  "refs/stash",
  "refs/bisect/bad",
  "refs/tags/../heads/main",
  "refs/tags/v1.lock",
  "refs/Heads/main",
  "HEAD",
  "FETCH_HEAD",
  "config",
  "hooks/post-receive",
  "objects/info/alternates",
  "../../../etc/passwd",
  "/etc/passwd",
];

const refAttacks = (): Attack[] =>
  REFS.map((ref) => {
    // A space ends the command.
    const isLine = !/\s/.test(ref);
    return {
      name: `the ref ${JSON.stringify(ref.slice(0, 60))}`,
      body: push({ ref }),
      status: isLine ? 200 : 400,
      says: isLine ? /only branches and tags can be pushed|the name is not allowed/ : UNREADABLE,
    };
  });

/** The beginnings of pushes that git can send, each with the reported problem. */
const REFUSED_HEADS: Readonly<Record<string, readonly [body: Uint8Array, says: RegExp]>> = {
  "a shallow push without its pack": [
    joined(line(`shallow ${SHA}`), command("refs/heads/main")),
    /ng refs\/heads\/main unpacker error/,
  ],
  "1,100 commands": [
    joined(
      line(`${NONE} ${SHA} refs/heads/b\0report-status side-band-64k`),
      ...Array.from({ length: 1100 }, (_, index) => line(`${NONE} ${SHA} refs/heads/b${index}`)),
      "0000",
    ),
    /ng refs\/heads\/b0 a push can change at most 1000 refs/,
  ],
};

const HEADS: Readonly<Record<string, string | Uint8Array>> = {
  "nothing": "",
  "a length of 1": "0001",
  "a length of 2": "0002",
  "a length of 3": "0003",
  "a length of 65,535": "ffff",
  "a length above the maximum": "fff1",
  "letters as a length": "zzzz",
  "a negative length": "-001",
  "a length with a sign": "+00f",
  "a length with spaces": "  10",
  "a length of NULs": "\0\0\0\0",
  "half a length": "00",
  "a packet that is cut off": "0040refs",
  "a pack without commands": pack([EMPTY, HEAD]),
  "a want": line(`want ${SHA}`),
  "a command without an end": line(`${NONE} ${SHA} refs/heads/main`),
  "a command without capabilities": joined(line(`${NONE} ${SHA} refs/heads/main`), "0000PACK"),
  "a short SHA": joined(line(`${NONE} abc refs/heads/main\0report-status side-band-64k`), "0000"),
  "an uppercase SHA": command("refs/heads/main", { to: "A".repeat(40) }),
  "a SHA of 64 digits": command("refs/heads/main", { to: "a".repeat(64) }),
  "a signed push": joined(line("push-cert\0push-options"), "0000"),
  "2 MiB of commands without an end": joined(
    ...Array.from({ length: 40 }, () => line(`${NONE} ${SHA} refs/heads/${"b".repeat(60_000)}`)),
  ),
  "a packet that is not UTF-8": joined(line(Uint8Array.of(0xff, 0xfe, 0x80, 0x00)), "0000"),
};

function headAttacks(): Attack[] {
  const refused = Object.entries(REFUSED_HEADS).map(([name, [body, says]]) => ({
    name,
    body,
    says,
    status: 200,
  }));
  const unreadable = Object.entries(HEADS).map(([name, body]) => ({
    name,
    body: bytesOf(body),
    isLong: body.length > 1_000_000,
    status: 400,
    says: UNREADABLE,
  }));
  const twice = joined(
    line(`${NONE} ${HEAD.sha} refs/heads/main\0report-status side-band-64k`),
    line(`${NONE} ${HEAD.sha} refs/heads/main`),
    "0000",
    pack([EMPTY, HEAD]),
  );
  const ng = (name: string, body: Bytes, says = /ng refs\/heads\/main /): Attack => ({
    name,
    body,
    says,
    status: 200,
  });
  return [
    ...unreadable,
    ...refused,
    ng("a ref twice", twice, /it appears twice/),
    ng("a wrong old SHA", push({ from: SHA })),
    ng("the deletion of production", command("refs/heads/main", { to: NONE }), /cannot be deleted/),
    ng("no pack", command("refs/heads/main")),
    ng("a head that the pack does not contain", push({ to: SHA })),
    ng(
      "another object format",
      push({
        capabilities: "report-status side-band-64k object-format=sha256",
      }),
    ),
  ];
}

function bodyAttacks(): Attack[] {
  const gzip = { "content-encoding": "gzip" };
  const cannot = { status: 400, says: /Cannot read the body/ };
  const coded = (coding: string): Attack => ({
    name: `the coding ${coding}`,
    body: GOOD,
    headers: { "content-encoding": coding },
    status: 415,
    says: /Send the body with gzip, not/,
  });
  const typed = (type: string): Attack => ({
    name: `the type ${JSON.stringify(type)}`,
    body: GOOD,
    headers: { "content-type": type },
    status: 415,
    says: /Send Content-Type/,
  });
  const whole = new Uint8Array(gzipSync(GOOD));
  return [
    { name: "gzip that is not gzip", body: GOOD, headers: gzip, ...cannot },
    { name: "truncated gzip", body: whole.slice(0, -12), headers: gzip, ...cannot },
    {
      name: "gzip in gzip",
      body: new Uint8Array(gzipSync(whole)),
      headers: gzip,
      status: 400,
      says: UNREADABLE,
    },
    {
      name: "40 MB of zeros as gzip",
      isLong: true,
      body: new Uint8Array(gzipSync(new Uint8Array(40_000_000))),
      headers: gzip,
      status: 400,
      says: UNREADABLE,
    },
    ...["br", "deflate", "zstd", "gzip, gzip", "x"].map(coded),
    ...["", "application/json", "text/plain", "application/x-git-upload-pack-request"].map(typed),
  ];
}

function fetchAttacks(): Attack[] {
  const service = "git-upload-pack";
  const wants = (name: string, body: string | Uint8Array, says: RegExp, status = 200): Attack => ({
    name: `upload-pack: ${name}`,
    service,
    body: bytesOf(body),
    status,
    says,
  });
  const v2 = { "git-protocol": "version=2" };
  return [
    wants(
      "an object that does not exist",
      joined(line(`want ${SHA}\n`), "0000", line("done\n")),
      /not our ref/,
    ),
    {
      ...wants("17 MB of wants", new Uint8Array(17_000_000).fill(48), /too long/, 413),
      isLong: true,
    },
    {
      ...wants("an unknown command", joined(line("command=steal\n"), "0000"), /ERR|^$/),
      headers: v2,
    },
    {
      ...wants(
        "a fetch of an invalid ref",
        joined(line("command=fetch"), "0001", line(`want-ref ../x\n`), line("done\n"), "0000"),
        /ERR|^$/,
      ),
      headers: v2,
    },
    wants("letters as a length", "zzzz", /ERR|^$/),
  ];
}

const WORKSPACE = "/git/default";
const PATHS: readonly (readonly [path: string, status: number])[] = [
  [`${WORKSPACE}/shop/git-receive-pack`, 404],
  [`${WORKSPACE}/absent.git/git-receive-pack`, 404],
  [`${WORKSPACE}/..%2Fshop-0.git/git-receive-pack`, 404],
  [`${WORKSPACE}/shop-0.git%00/git-receive-pack`, 404],
  [`${WORKSPACE}/shop-0.git.git/git-receive-pack`, 404],
  [`${WORKSPACE}/SHOP-0.git/git-receive-pack`, 404],
  ["/git/%2e%2e/shop-0.git/git-receive-pack", 404],
  ["/git/other/shop-0.git/git-receive-pack", 403],
];

const READS = [
  ["info/refs", 403],
  ["info/refs?service=", 403],
  ["info/refs?service=git-upload-archive", 403],
  ["info/refs?service=../../bin/sh", 403],
  ["HEAD", 404],
  ["config", 404],
  ["objects/info/packs", 404],
  ["objects/info/alternates", 404],
] as const;

function pathAttacks(repository: string): Attack[] {
  return [
    ...PATHS.map(([path, status]) => ({
      name: path,
      path,
      body: GOOD,
      status,
      says: /belongs to|does not exist|404|not_found/,
    })),
    ...READS.map(([path, status]) => ({
      name: path,
      method: "GET",
      path: `${repository}/${path}`,
      status,
      says: /./,
    })),
  ];
}

/**
 * Returns attacks with keys that exist but are not allowed to push to the project, and with keys
 * that do not exist.
 */
async function keyAttacks(platform: TestPlatform): Promise<Attack[]> {
  const { api } = platform;
  const keyOf = async (fields: Record<string, unknown>) => {
    const { status, json } = await api("POST", "/v1/api-keys", {
      json: { name: "a key", ...fields },
    });
    assert.equal(status, 201, JSON.stringify(json));
    return json;
  };
  const { json: other } = await api("POST", "/v1/projects", { json: { name: "other" } });
  const { browser: ada } = await signUpWithWorkspace(platform, "ada");
  const { json: abroad } = await ada.send("POST", "/v1/api-keys", {
    workspace: "ada",
    json: { name: "abroad", role: "owner" },
  });
  const revoked = await keyOf({});
  await api("DELETE", `/v1/api-keys/${revoked.id}`);
  const expired = await keyOf({ expiresAt: new Date(Date.now() + 5000).toISOString() });
  await until(
    () => api("GET", "/v1/projects", { token: expired.key }),
    ({ status }) => status === 401,
  );
  const unknown = { status: 401, says: /unknown, revoked or expired/ };
  const lacks = {
    status: 403,
    says: /lacks the permission|needs the \w+ role|does not reach|belongs to/,
  };
  const cases: Readonly<Record<string, readonly [key: string, outcome: typeof unknown]>> = {
    "an empty key": ["", { status: 401, says: /Use an API key/ }],
    "a wrong key": ["wrong", unknown],
    "a key with an extra digit": [`${TOKEN}x`, unknown],
    "a key with a missing digit": [TOKEN.slice(0, -1), unknown],
    "a key of 5,000 digits": ["k".repeat(5000), { status: 401, says: /Use an API key/ }],
    "a key with a line feed": [`${TOKEN}\nx`, { status: 401, says: /Use an API key/ }],
    "a revoked key": [revoked.key, unknown],
    "an expired key": [expired.key, unknown],
    "another workspace's key": [abroad.key, lacks],
    "another project's key": [(await keyOf({ projects: [other.id] })).key, {
      status: 404,
      says: /does not exist/,
    }],
    "a viewer's key": [(await keyOf({ role: "viewer" })).key, { status: 403, says: /./ }],
    "a read-only key": [(await keyOf({ permissions: ["read"] })).key, lacks],
    "a key for rules": [(await keyOf({ permissions: ["rules"] })).key, lacks],
    "a key for variables": [(await keyOf({ permissions: ["variables"] })).key, lacks],
    "a key for previews": [
      (await keyOf({ permissions: ["deploy-previews"] })).key,
      {
        status: 200,
        says: /ng refs\/heads\/main the key lacks the permission "deploy-production"/,
      },
    ],
  };
  return [
    ...Object.entries(cases).map(([name, [key, outcome]]) => ({
      name,
      key,
      body: GOOD,
      ...outcome,
    })),
    ...Object.entries<Record<string, string>>({
      "no key": {},
      "a key as a bearer token": { authorization: `Bearer ${TOKEN}` },
      "an incomplete Basic header": { authorization: "Basic" },
      "Basic that is not base64": { authorization: "Basic ***" },
      "a digest": { authorization: `Digest username="${TOKEN}"` },
      "a key in a cookie": { cookie: `session=${TOKEN}` },
    }).map(([name, headers]) => ({
      name,
      key: null,
      headers,
      body: GOOD,
      status: 401,
      says: /Use an API key/,
    })),
  ];
}

/** Sends a push in parts and disconnects before the last part. */
async function pushWithoutEnd({ platform: { port }, repository }: Target): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.on("error", () => {});
  socket.write(
    `POST ${repository}/git-receive-pack HTTP/1.1\r\nHost: localhost\r\n` +
      `Authorization: ${basic(TOKEN)}\r\nTransfer-Encoding: chunked\r\n` +
      "Content-Type: application/x-git-receive-pack-request\r\n\r\n",
  );
  for (let at = 0; at < GOOD.length; at += 50) {
    const part = GOOD.slice(at, at + 50);
    socket.write(joined(`${part.length.toString(16)}\r\n`, part, "\r\n"));
  }
  await new Promise((resolve) => socket.write("ffff\r\nPACK", resolve));
  socket.destroy();
}

Deno.test("hostile git requests are refused with the reason and leave nothing on disk", () =>
  underAttack(async (target) => {
    const { platform, repository, attack } = target;
    await Promise.all(Array.from({ length: 12 }, () => pushWithoutEnd(target)));
    const attacks = [
      ...refAttacks(),
      ...headAttacks(),
      ...bodyAttacks(),
      ...fetchAttacks(),
      ...pathAttacks(repository),
      ...await keyAttacks(platform),
    ];
    assert.ok(attacks.length >= 130, String(attacks.length));
    await attack(attacks);
  }));
