import assert from "node:assert/strict";
import { readReference } from "./read_reference.ts";
import { commandLineOf, curlSample } from "./call_samples.ts";

const { parts } = await readReference("/docs/api", {
  url: "https://svc.example",
  version: "1.0.0",
});
const calls = parts.flatMap(({ operations }) => operations);
const sampleOf = (id: string) =>
  curlSample(calls.find(({ operation }) => operation.operationId === id)!);

Deno.test("curlSample() includes the example's credential, path, query and body", () => {
  const created = sampleOf("createProject");
  assert.match(
    created,
    /^curl -X POST "\$SVC_API_URL\/v1\/projects" \\\n {2}-H "Authorization: Bea/,
  );
  assert.match(created, /-H 'Content-Type: application\/json' \\\n {2}-d '\{.*"name":"/);
  assert.match(sampleOf("getProject"), /^curl "\$SVC_API_URL\/v1\/projects\/[^{}"]+" /);
  assert.doesNotMatch(sampleOf("getHealth"), /Authorization/);
  assert.match(sampleOf("changePassword"), /-b "\$SESSION_COOKIE"/);
  assert.match(sampleOf("putRules"), /-X PUT[^]*-H 'If-Match: /);
});

Deno.test("every operation has a sample that a shell parses as one command", async () => {
  const lines = calls.map((call) => curlSample(call).replace(/^curl/, "count"));
  const script = `count() { test $# -ge 1; }\nset -e\n${lines.join("\n")}\necho done`;
  const { stdout, stderr } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const [out, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.deepEqual([out, errors], ["done\n", ""]);
  for (const line of lines) assert.doesNotMatch(line, /undefined|\[object|\{\w+\}"/, line);
});

Deno.test("commandLineOf() returns a command only if the operation has one", () => {
  assert.equal(commandLineOf("listProjects"), "svc projects list");
  assert.equal(commandLineOf("constructor"), undefined);
});
