/**
 * Warns at start of rules with conditions on networks that this platform cannot
 * find.
 *
 * @module
 */
import { asksForAsn, type RuntimeRuleSet } from "../../rules/mod.ts";
import type { PlatformLog } from "../core/log.ts";
import type { ProjectRecord } from "../projects/mod.ts";

export interface NetworkWarningParts {
  projects(): AsyncIterable<ProjectRecord>;
  /** The rules that production of a project follows. */
  rulesOf(project: ProjectRecord): Promise<RuntimeRuleSet | null>;
  readonly log: (entry: PlatformLog) => void;
  /** Aborted when the platform stops. */
  readonly signal: AbortSignal;
}

/** Most projects that are named in warnings; the rest is only counted. */
const MAX_NAMED = 20;

/** Warns, for each project, of rules in production with conditions on `asn`. */
export async function warnOfNetworks(parts: NetworkWarningParts): Promise<void> {
  const { log, signal } = parts;
  let found = 0;
  for await (const project of parts.projects()) {
    if (signal.aborted) return;
    const rules = await parts.rulesOf(project);
    const ids = rules === null ? [] : asksForAsn(rules);
    if (ids.length === 0) continue;
    found += 1;
    if (found > MAX_NAMED) continue;
    const named = ids.slice(0, MAX_NAMED).map((id) => `"${id}"`).join(", ");
    const message =
      `Rules of project ${project.name} have asn conditions that never match: ${named}. The operator can set an ASN database with --asn`;
    log({ level: "warn", message });
  }
  if (found <= MAX_NAMED) return;
  log({
    level: "warn",
    message: `Rules of ${found - MAX_NAMED} more projects have conditions on asn too`,
  });
}
