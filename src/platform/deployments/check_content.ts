/**
 * Validates a deployment's content, because the platform does not trust a client's checks.
 *
 * @module
 */
import { type DeploymentFile, MAX_DEPLOYED_BYTES } from "../../contract/deployment_files.ts";
import type { DeploymentFunction } from "../../contract/deployments.ts";
import type { Problem } from "../../contract/common.ts";
import { inSteps, type Steps } from "../../lib/next_turn.ts";
import {
  formatManifestProblems,
  type Manifest,
  OutputFileSet,
  validateManifest,
} from "../../manifest/mod.ts";
import { loadRulesInSteps, type RuntimeRuleSet } from "../../rules/mod.ts";
import { Failure } from "../core/http/mod.ts";

const MAX_PROBLEMS = 100;

/** Returns where the request lists the file at an index, such as `body.files[3]`. */
export type PlaceOf = (index: number) => string;

const inList: PlaceOf = (index) => `body.files[${index}]`;

type Note = (index: number, field: "path" | "size", message: string) => void;

function* checkPaths(files: readonly DeploymentFile[], note: Note): Steps<void> {
  const paths = new Set<string>();
  yield* inSteps(files, ({ path }, index) => {
    if (paths.has(path)) note(index, "path", `Path "${path}" is listed twice`);
    paths.add(path);
  });
  yield* inSteps(files, ({ path }, index) => {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
      if (!paths.has(path.slice(0, end))) continue;
      note(index, "path", `Path "${path}" is inside "${path.slice(0, end)}", which is a file`);
    }
  });
}

/**
 * Entries with the same content must state the same size, because a wrong size would truncate
 * responses.
 */
function* checkSizes(files: readonly DeploymentFile[], note: Note): Steps<void> {
  const sizes = new Map<string, number>();
  let total = 0;
  yield* inSteps(files, ({ sha256, size }, index) => {
    const known = sizes.get(sha256);
    if (known === undefined) sizes.set(sha256, size);
    else if (known !== size) {
      note(
        index,
        "size",
        `Must be ${known}, the size of another file with the hash ${sha256}, but is ${size}`,
      );
    }
    total += size;
  });
  if (total > MAX_DEPLOYED_BYTES) {
    throw new Failure(
      "payload_too_large",
      `The files total ${total} bytes; the limit is ${MAX_DEPLOYED_BYTES}`,
    );
  }
}

/** @throws {Failure} `invalid_request` for clashing paths or sizes; `payload_too_large` */
export function* checkFiles(
  files: readonly DeploymentFile[],
  placeOf: PlaceOf = inList,
): Steps<void> {
  const problems: Problem[] = [];
  const note: Note = (index, field, message) => {
    if (problems.length < MAX_PROBLEMS) {
      problems.push({ path: `${placeOf(index)}.${field}`, message });
    }
  };
  yield* checkPaths(files, note);
  yield* checkSizes(files, note);
  const [first] = problems;
  if (first !== undefined) throw new Failure("invalid_request", first.message, { problems });
}

/** @throws {Failure} `manifest_invalid`, with the specification's wording. */
export function* checkManifest(
  value: unknown,
  files: readonly DeploymentFile[],
): Steps<Manifest> {
  const output = new OutputFileSet();
  yield* inSteps(files, ({ path }) => output.add(path));
  const result = validateManifest(value, output);
  if (!result.ok) {
    throw new Failure("manifest_invalid", formatManifestProblems(result.problems), {
      problems: result.problems.slice(0, MAX_PROBLEMS),
    });
  }
  return result.manifest;
}

/** @throws {Failure} `rules_invalid`, also if a pipeline needs an unknown function. */
export function* checkRules(
  value: unknown,
  functions: ReadonlySet<string>,
): Steps<RuntimeRuleSet> {
  const { runtime, diagnostics } = yield* loadRulesInSteps(value, { functions: [...functions] });
  const problems = diagnostics
    .filter((diagnostic) => diagnostic.severity === "error")
    .map(({ path, message, ruleId }) => ({
      path,
      message: ruleId === undefined ? message : `Rule "${ruleId}": ${message}`,
    }));
  if (runtime === undefined || problems.length > 0) {
    const first = problems[0];
    throw new Failure("rules_invalid", `Rule set is not valid: ${first?.path}: ${first?.message}`, {
      problems: problems.slice(0, MAX_PROBLEMS),
    });
  }
  return runtime;
}

/** @throws {Failure} `invalid_request` if two functions share a name. */
export function checkFunctions(functions: readonly DeploymentFunction[]): Set<string> {
  const names = new Set(functions.map((each) => each.name));
  if (names.size === functions.length) return names;
  throw new Failure("invalid_request", "Function names must be unique");
}
