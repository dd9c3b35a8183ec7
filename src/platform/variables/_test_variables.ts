/** Variables in an in-memory store, for tests. @module */
import type { Clock } from "../../lib/clock.ts";
import { Addresses } from "../core/addresses.ts";
import type { SecretBox } from "../core/secrets/mod.ts";
import { ProjectStore } from "../projects/mod.ts";
import { ReferenceResolver, type ResolverParts } from "./resolver.ts";
import { VariableService } from "./variable_service.ts";
import { VariableStore } from "./variable_store.ts";
import type { RecordStore } from "../../store/mod.ts";

/** A resolver for tests in which no host serves a deployment, and no project has a database. */
export const testResolver = (
  kv: RecordStore,
  parts: Partial<Pick<ResolverParts, "shownAt" | "databasesOf">> = {},
): ReferenceResolver =>
  new ReferenceResolver({
    projects: new ProjectStore(kv),
    addresses: new Addresses({ protocol: "https:", domain: "svc.example", port: "" }),
    shownAt: () => Promise.resolve(undefined),
    databasesOf: () => Promise.resolve([]),
    ...parts,
  });

export const testVariables = ({ kv, box, now }: {
  readonly kv: RecordStore;
  readonly box: SecretBox;
  readonly now: Clock;
}): VariableService =>
  new VariableService({
    variables: new VariableStore(kv),
    resolver: testResolver(kv),
    projects: new ProjectStore(kv),
    box,
    now,
  });
