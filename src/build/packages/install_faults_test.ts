import assert from "node:assert/strict";
import { installFault, missingLockFile } from "./install_faults.ts";

const ROWS: readonly (readonly [output: string, name: "npm" | "pnpm" | "yarn", hint: RegExp])[] = [
  [
    'ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)\n\nYour pnpm version is incompatible with "/app".\n\nExpected version: 8.x\nGot: 10.1.0',
    "pnpm",
    /^The project requires a different version of pnpm\. .*"packageManager" in package\.json/,
  ],
  [
    "ERR_PNPM_BAD_PM_VERSION  This project is configured to use v8.6.0 of pnpm. Your current pnpm is v10.1.0",
    "pnpm",
    /^The project requires a different version of pnpm/,
  ],
  [
    "npm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync.",
    "npm",
    /^package-lock\.json does not match package\.json\. Run "npm install" and commit package-lock\.json$/,
  ],
  [
    'ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date',
    "pnpm",
    /^pnpm-lock\.yaml does not match/,
  ],
  [
    "error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.",
    "yarn",
    /^yarn\.lock does not match/,
  ],
  [
    "npm error The `npm ci` command can only install with an existing package-lock.json or\nnpm error npm-shrinkwrap.json",
    "npm",
    /^The lock file is missing\. Run "npm install" and commit package-lock\.json$/,
  ],
];

for (const [output, name, hint] of ROWS) {
  Deno.test(`installFault() explains: ${output.slice(0, 60)}`, () => {
    assert.match(installFault(output, { name, lockFile: undefined }) ?? "", hint);
  });
}

Deno.test("installFault() reports nothing for unknown faults", () => {
  assert.equal(installFault("npm error 404 Not Found", undefined), undefined);
});

Deno.test("missingLockFile() names the missing file", () => {
  assert.match(
    missingLockFile({ name: "pnpm", lockFile: undefined }) ?? "",
    /commit pnpm-lock\.yaml$/,
  );
  assert.equal(missingLockFile({ name: "npm", lockFile: "package-lock.json" }), undefined);
});
