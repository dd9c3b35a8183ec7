import assert from "node:assert/strict";
import type { ProjectRecord } from "../projects/mod.ts";
import { testProject } from "../projects/_test_project.ts";
import { describeCycle } from "./reference_cycles.ts";

const named = (name: string): ProjectRecord => ({ ...testProject(), id: name, name });

/** Describes the cycle to which the references of `web` lead, given each project's references. */
const cycleOf = (
  references: Readonly<Record<string, readonly string[]>>,
  following: readonly string[] = [],
) => {
  const projectOf = (name: string) => ({
    ...named(name),
    autoRedeploy: following.includes(name),
  });
  const valuesOf = (name: string) =>
    Object.fromEntries((references[name] ?? []).map((to, at) => [`A${at}`, `\${{${to}.url}}`]));
  return describeCycle({
    projects: {
      findByName: (_, name) =>
        Promise.resolve(Object.hasOwn(references, name) ? projectOf(name) : undefined),
    },
    open: (id) => Promise.resolve(valuesOf(id)),
  }, { project: projectOf("web"), environment: "preview", values: valuesOf("web") });
};

const fine: readonly (readonly [string, Parameters<typeof cycleOf>])[] = [
  ["no reference", [{ web: [] }]],
  ["a chain", [{ web: ["api"], api: ["auth"], auth: [] }]],
  ["two paths to one project", [{ web: ["api", "auth"], api: ["auth"], auth: [] }]],
  ["a cycle of other projects", [{ web: ["api"], api: ["auth"], auth: ["api"] }]],
  ["a reference to the project itself", [{ web: ["web"] }]],
  ["a missing project", [{ web: ["gone"] }]],
  ["a cycle of a project that redeploys automatically", [{ web: ["api"], api: ["web"] }, ["web"]]],
  ["a cycle in which another redeploys automatically", [{
    web: ["api"],
    api: ["auth"],
    auth: ["web"],
  }, ["auth"]]],
];

for (const [name, given] of fine) {
  Deno.test(`describeCycle() accepts ${name}`, async () => {
    assert.equal(await cycleOf(...given), undefined);
  });
}

Deno.test("describeCycle() names the variable that refers back", async () => {
  assert.match(
    await cycleOf({ web: ["auth", "api"], auth: [], api: ["web"] }) ?? "",
    /^Variable A1 of project "web" refers to \$\{\{api\.url\}\} in a cycle: .*"api" lead back to "web"/,
  );
});

Deno.test("describeCycle() finds a long cycle, and names no other project in it", async () => {
  const found = await cycleOf({ web: ["api"], api: ["x", "hidden"], x: [], hidden: ["web"] }) ?? "";
  assert.match(found, /in a cycle/);
  assert.doesNotMatch(found, /hidden/);
});
