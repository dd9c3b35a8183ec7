import assert from "node:assert/strict";
import { judgeFailure, lastWords } from "./git_failure.ts";

const failed = (stderr: string) => ({ code: 128, stdout: "", stderr, timedOut: false });

const UNAUTHORIZED = [
  "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
  "fatal: Authentication failed for 'https://example.com/a.git/'",
  "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.",
  "fatal: repository 'https://example.com/a.git/' not found",
  "ERROR: Repository not found.",
  "fatal: unable to access 'https://x/': The requested URL returned error: 403",
  "Host key verification failed.",
];

for (const stderr of UNAUTHORIZED) {
  Deno.test(`judgeFailure() recognizes denied access: ${stderr.split("\n")[0]}`, () => {
    assert.deepEqual(judgeFailure(failed(stderr)), { type: "unauthorized" });
  });
}

Deno.test("judgeFailure() recognizes a time limit and a redirect, and quotes other errors", () => {
  const reason = (result: Parameters<typeof judgeFailure>[0]) => {
    const failure = judgeFailure(result);
    return failure.type === "unreachable" ? failure.reason : failure.type;
  };
  assert.match(reason({ ...failed(""), timedOut: true }), /in time/);
  assert.match(reason(failed("The requested URL returned error: 301")), /moved/);
  assert.equal(reason(failed("fatal: Could not resolve host: x")), "Could not resolve host: x");
  assert.equal(reason(failed("")), "git exited with code 128");
});

Deno.test("lastWords() returns one line without control sequences", () => {
  assert.equal(
    lastWords("warning: x\nremote: \x1b[31mno\x1b[0m\r\nfatal: \x07early EOF\n"),
    "no; early EOF",
  );
});
