import assert from "node:assert/strict";
import { decideNotice, mayNotice, type ReleaseState } from "./notice.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

interface Row {
  readonly name: string;
  readonly state: ReleaseState;
  readonly notice?: string;
  readonly check: boolean;
}

const NEWER = "svc 1.10.0 is available (you have 1.9.0). Run";

const ROWS: readonly Row[] = [
  { name: "nothing known", state: {}, check: true },
  {
    name: "a newer release",
    state: { latest: "1.10.0", checkedAt: NOW - HOUR },
    notice: `${NEWER} svc upgrade`,
    check: false,
  },
  {
    name: "a newer release for a program that a package manager owns",
    state: { latest: "1.10.0", command: "brew upgrade svc", checkedAt: NOW },
    notice: `${NEWER} brew upgrade svc`,
    check: false,
  },
  {
    name: "a notice less than a day ago",
    state: { latest: "1.10.0", noticedAt: NOW - DAY + 1, checkedAt: NOW - DAY },
    check: true,
  },
  {
    name: "a notice a day ago",
    state: { latest: "1.10.0", noticedAt: NOW - DAY, checkedAt: NOW - DAY + 1 },
    notice: `${NEWER} svc upgrade`,
    check: false,
  },
  { name: "the same release", state: { latest: "1.9.0", checkedAt: NOW }, check: false },
  { name: "an older release", state: { latest: "1.2.0", checkedAt: NOW }, check: false },
  {
    name: "a clock that was set back",
    state: { latest: "1.10.0", noticedAt: NOW + 1, checkedAt: NOW + 1 },
    notice: `${NEWER} svc upgrade`,
    check: true,
  },
];

for (const { name, state, notice, check } of ROWS) {
  Deno.test(`decideNotice(): ${name}`, () => {
    assert.deepEqual(decideNotice(state, { now: NOW, version: "1.9.0" }), { notice, check });
  });
}

const terminal = { isTerminal: true, write: () => {} };
const pipe = { isTerminal: false, write: () => {} };

Deno.test("mayNotice() is true only for people at terminals", () => {
  const may = (argv: string[], env = {}, [stdout, stderr] = [terminal, terminal]) =>
    mayNotice(argv, { env, stdout, stderr });
  assert.equal(may(["whoami"]), true);
  assert.equal(may(["whoami", "--json"]), false);
  assert.equal(may(["whoami"], { SVC_JSON: "1" }), false);
  assert.equal(may(["whoami"], { CI: "true" }), false);
  assert.equal(may(["whoami"], { SVC_NO_UPDATE_CHECK: "1" }), false);
  assert.equal(may(["whoami"], {}, [pipe, terminal]), false);
  assert.equal(may(["whoami"], {}, [terminal, pipe]), false);
  assert.equal(may(["upgrade"]), false);
});
