import assert from "node:assert/strict";
import { endpoints } from "../../contract/endpoints.ts";
import { DenoStore } from "../../store/mod.ts";
import { Addresses } from "../core/addresses.ts";
import type { Foundation } from "../core/foundation.ts";
import type { Router } from "../core/http/mod.ts";
import { EnvironmentStore } from "../environments/mod.ts";
import { testProject } from "../projects/_test_project.ts";
import { ProjectStore } from "../projects/mod.ts";
import { createVariables } from "./create_variables.ts";

type Handler = (caller: unknown, context: unknown) => Promise<unknown>;

Deno.test("a value for all environments is refused if it creates a cycle in one of the project's own environments", async () => {
  const kv = await DenoStore.open(":memory:");
  try {
    const projects = new ProjectStore(kv);
    const environments = new EnvironmentStore(kv);
    const own = [testProject({ id: "1", name: "web" }), testProject({ id: "2", name: "backend" })];
    for (const project of own) {
      assert.ok(await projects.create(project));
      await environments.create(project, { id: `e${project.id}`, name: "staging", createdAt: 0 });
    }
    const { capability } = createVariables(
      {
        kv,
        box: {},
        now: () => 0,
        addresses: new Addresses({ protocol: "https:", domain: "svc.example", port: "" }),
      } as unknown as Foundation,
      {
        projects,
        environments,
        shownAt: () => Promise.resolve(undefined),
        databasesOf: () => Promise.resolve([]),
        connectionFor: () => Promise.reject(new Error("There are no databases")),
      },
    );
    const handlers = new Map<unknown, Handler>();
    const guarded = (endpoint: unknown, handler: Handler) => handlers.set(endpoint, handler);
    capability.bindRoutes?.({ guarded } as unknown as Router);
    const set = (project: string, key: string, value: string, scope: string) =>
      handlers.get(endpoints.setVariable)!({ workspace: { id: "w1", slug: "w1" } }, {
        note: () => {},
        params: { project, key },
        body: endpoints.setVariable.body.parse({ category: "plain", value, scope }),
      });
    await set("backend", "WEB_URL", "${{web.url}}", "staging");
    await assert.rejects(
      set("web", "API_URL", "${{backend.url}}", "all"),
      /^Failure: Variable API_URL of project "web" refers to \$\{\{backend\.url\}\} in a cycle/,
    );
    await set("web", "API_URL", "${{backend.url}}", "production");
  } finally {
    kv.close();
  }
});
