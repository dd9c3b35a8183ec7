import assert from "node:assert/strict";
import { describeOverrides } from "./notes.ts";
import type { DatabaseRecord } from "./records.ts";

const database = (name: string, more: Partial<DatabaseRecord> = {}): DatabaseRecord => ({
  id: name,
  workspaceId: "w",
  projectId: "p",
  name,
  engine: "embedded",
  cuSize: "0.25",
  autoInject: true,
  envVar: "DATABASE_URL",
  environments: null,
  previewBranches: false,
  stopped: false,
  createdAt: 0,
  deletedAt: null,
  ...more,
});

const WHERE: readonly {
  readonly title: string;
  readonly older: Partial<DatabaseRecord>;
  readonly own?: Partial<DatabaseRecord>;
  readonly variables?: readonly { readonly key: string; readonly scope: string }[];
  readonly expected: readonly (readonly [string, readonly string[] | null])[];
}[] = [
  { title: "an older database", older: {}, expected: [["old", null]] },
  { title: "another variable", older: { envVar: "OLD_URL" }, expected: [] },
  { title: "an older database without auto-inject", older: { autoInject: false }, expected: [] },
  {
    title: "an older database in one environment",
    older: { environments: ["production"] },
    expected: [["old", ["production"]]],
  },
  {
    title: "the common environments of two databases",
    older: { environments: ["production", "staging"] },
    own: { environments: ["staging", "preview"] },
    expected: [["old", ["staging"]]],
  },
  {
    title: "two databases without a common environment",
    older: { environments: ["production"] },
    own: { environments: ["preview"] },
    expected: [],
  },
  {
    title: "variables of the project in the environments of the database",
    older: { autoInject: false },
    own: { environments: ["preview"] },
    variables: [
      { key: "DATABASE_URL", scope: "preview" },
      { key: "DATABASE_URL", scope: "production" },
      { key: "OTHER", scope: "all" },
    ],
    expected: [["DATABASE_URL", ["preview"]]],
  },
];

for (const { title, older, own, variables = [], expected } of WHERE) {
  Deno.test(`describeOverrides() lists the values that deployments get instead: ${title}`, () => {
    const newer = database("new", own);
    const others = [database("old", older), newer];
    const found = describeOverrides(newer, { others, variables });
    assert.deepEqual(found.map(({ name, environments }) => [name, environments]), expected);
    const first = describeOverrides(others[0]!, { others, variables: [] });
    assert.deepEqual(first, []);
  });
}
