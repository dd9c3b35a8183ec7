import assert from "node:assert/strict";
import { FLUSH, join, packet } from "./pkt_line.ts";
import { PushHead, refusedRefs } from "./push_request.ts";

const OLD = "a".repeat(40);
const NEW = "b".repeat(40);
const NONE = "0".repeat(40);
const CAPABILITIES = "report-status-v2 side-band-64k agent=git/2.39";

function read(lines: readonly string[], { step = 1 } = {}) {
  const bytes = join([...lines.map((line) => packet(line)), FLUSH, new Uint8Array(9)]);
  const head = new PushHead();
  for (let at = 0; at < bytes.length; at += step) head.push(bytes.subarray(at, at + step));
  return head.request;
}

Deno.test("PushHead reads commands and capabilities, regardless of how they are split", () => {
  const lines = [
    `${OLD} ${NEW} refs/heads/main\0 ${CAPABILITIES}\n`,
    `${OLD} ${NONE} refs/tags/v1`,
  ];
  for (const step of [1, 3, 70, 1000]) {
    const { commands, capabilities } = read(lines, { step });
    assert.deepEqual(commands, [
      { ref: "refs/heads/main", before: OLD, sha: NEW },
      { ref: "refs/tags/v1", before: OLD, sha: undefined },
    ]);
    assert.ok(capabilities.has("side-band-64k"));
  }
});

const BROKEN: readonly (readonly [name: string, lines: readonly string[], said: RegExp])[] = [
  ["an invalid SHA", [`${OLD} xyz refs/heads/main`], /not a git request/],
  ["a ref with a space", [`${OLD} ${NEW} refs/heads/a b`], /not a git request/],
  ["a signed push", ["push-cert\0push-options"], /not a git request/],
];

for (const [name, lines, said] of BROKEN) {
  Deno.test(`PushHead refuses ${name}`, () => {
    assert.throws(() => read(lines, { step: 1000 }), { name: "PushRefused", message: said });
  });
}

Deno.test("PushHead reads a push from a shallow clone", () => {
  const { commands, refusal } = read([
    `shallow ${OLD}`,
    `${NONE} ${NEW} refs/heads/main\0 ${CAPABILITIES}`,
  ]);
  assert.deepEqual(commands, [{ ref: "refs/heads/main", before: undefined, sha: NEW }]);
  assert.equal(refusal, undefined);
});

Deno.test("PushHead refuses a push with too many refs, and names the refs that it has read", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `${OLD} ${NEW} refs/heads/b${index}`);
  assert.equal(read(lines(1000), { step: 1000 }).refusal, undefined);
  const { commands, refusal } = read(lines(1001), { step: 1000 });
  assert.equal(commands.length, 1001);
  assert.match(refusal ?? "", /at most 1000 refs: push fewer/);
  const most = read(lines(20_000), { step: 1000 });
  assert.match(most.refusal ?? "", /at most 1000 refs/);
  assert.ok(most.commands.length < 12_000, `${most.commands.length} refs are kept`);
});

Deno.test("PushHead refuses malformed packets and truncated data", () => {
  const text = (it: string) => new TextEncoder().encode(it);
  for (const bytes of [text("zzzz"), text("0003"), text("ffff0000"), text("-001")]) {
    assert.throws(() => new PushHead().push(bytes), { name: "PushRefused" });
  }
  const early = new PushHead();
  early.push(packet(`${OLD} ${NEW} refs/heads/main`));
  assert.throws(() => early.request, { message: /ends too early/ });
});

const REFS: readonly (readonly [ref: string, sha: string | undefined, refused: RegExp | null])[] = [
  ["refs/heads/main", NEW, null],
  ["refs/heads/feature/menu", undefined, null],
  ["refs/tags/v1.0", NEW, null],
  ["refs/heads/main", undefined, /cannot be deleted/],
  ["refs/replace/0123", NEW, /only branches and tags/],
  ["refs/notes/commits", NEW, /only branches and tags/],
  ["HEAD", NEW, /only branches and tags/],
  ["refs/heads/HEAD", NEW, /the name is not allowed/],
  ["refs/heads/../../config", NEW, /name is not allowed/],
  ["refs/heads/a.lock", NEW, /name is not allowed/],
  ["refs/heads/-option", NEW, /name is not allowed/],
  ["refs/heads/", NEW, /name is not allowed/],
  [`refs/heads/${"a".repeat(256)}`, NEW, /name is not allowed/],
];

for (const [ref, sha, said] of REFS) {
  const what = sha === undefined ? "deletion" : "push";
  Deno.test(`refusedRefs() ${said === null ? "allows" : "refuses"} the ${what} of ${ref.slice(0, 40)}`, () => {
    const push = {
      commands: [{ ref, before: undefined, sha }],
      capabilities: new Set<string>(),
      refusal: undefined,
    };
    const reason = refusedRefs(push, { production: "main" }).get(ref);
    if (said === null) assert.equal(reason, undefined);
    else assert.match(reason ?? "", said);
  });
}

Deno.test("refusedRefs() refuses a duplicate ref", () => {
  const command = { ref: "refs/heads/main", before: undefined, sha: NEW };
  const push = {
    commands: [command, command],
    capabilities: new Set<string>(),
    refusal: undefined,
  };
  assert.match(refusedRefs(push, { production: "main" }).get(command.ref)!, /appears twice/);
});
