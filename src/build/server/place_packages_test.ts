import assert from "node:assert/strict";
import { placePackages } from "./place_packages.ts";

interface Row {
  /** The modules that need each file, keyed by the file. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly directory?: string;
  readonly project?: string;
  readonly expectedFiles: Readonly<Record<string, string>>;
  readonly expectedLinks?: Readonly<Record<string, string>>;
}

const ENTRY = "/w/app/build/index.js";

const ROWS: Readonly<Record<string, Row>> = {
  "packages of the project itself": {
    files: {
      "/w/app/node_modules/a/index.js": [ENTRY],
      "/w/app/node_modules/@s/b/index.js": ["/w/app/node_modules/a/index.js"],
      "/w/app/node_modules/a/node_modules/c/index.js": ["/w/app/node_modules/a/index.js"],
    },
    expectedFiles: {
      "/w/app/node_modules/a/index.js": "node_modules/a/index.js",
      "/w/app/node_modules/@s/b/index.js": "node_modules/@s/b/index.js",
      "/w/app/node_modules/a/node_modules/c/index.js": "node_modules/a/node_modules/c/index.js",
    },
  },
  "a package next to the workspace": {
    files: {
      "/lib/ui/index.js": [ENTRY],
      "/lib/ui/node_modules/b/index.js": ["/lib/ui/index.js"],
    },
    links: { "/w/app/node_modules/ui": "/lib/ui" },
    expectedFiles: {
      "/lib/ui/index.js": "svc_packages/up/lib/ui/index.js",
      "/lib/ui/node_modules/b/index.js": "svc_packages/up/lib/ui/node_modules/b/index.js",
    },
    expectedLinks: { "node_modules/ui": "../svc_packages/up/lib/ui" },
  },
  "pnpm packages, with their links": {
    files: {
      "/w/node_modules/.pnpm/a@1/node_modules/a/index.js": [ENTRY],
      "/w/node_modules/.pnpm/b@2/node_modules/b/index.js": [
        "/w/node_modules/.pnpm/a@1/node_modules/a/index.js",
      ],
    },
    links: {
      "/w/app/node_modules/a": "/w/node_modules/.pnpm/a@1/node_modules/a",
      "/w/node_modules/.pnpm/a@1/node_modules/b": "/w/node_modules/.pnpm/b@2/node_modules/b",
    },
    directory: "server",
    expectedFiles: {
      "/w/node_modules/.pnpm/a@1/node_modules/a/index.js":
        "server/node_modules/.pnpm/a@1/node_modules/a/index.js",
      "/w/node_modules/.pnpm/b@2/node_modules/b/index.js":
        "server/node_modules/.pnpm/b@2/node_modules/b/index.js",
    },
    expectedLinks: {
      "server/node_modules/a": ".pnpm/a@1/node_modules/a",
      "server/node_modules/.pnpm/a@1/node_modules/b": "../../b@2/node_modules/b",
    },
  },
  "a package of the workspace, with its own packages": {
    files: {
      "/w/packages/ui/src/index.ts": [ENTRY],
      "/w/packages/ui/node_modules/d/index.js": ["/w/packages/ui/src/index.ts"],
      "/w/node_modules/e/index.js": ["/w/packages/ui/src/index.ts"],
    },
    links: { "/w/node_modules/@acme/ui": "/w/packages/ui" },
    expectedFiles: {
      "/w/packages/ui/src/index.ts": "svc_packages/packages/ui/src/index.ts",
      "/w/packages/ui/node_modules/d/index.js": "svc_packages/packages/ui/node_modules/d/index.js",
      "/w/node_modules/e/index.js": "node_modules/e/index.js",
    },
    expectedLinks: { "node_modules/@acme/ui": "../../svc_packages/packages/ui" },
  },
  "two versions of a package in the project and above it": {
    files: {
      "/w/app/node_modules/x/index.js": [ENTRY],
      "/w/node_modules/y/index.js": [ENTRY],
      "/w/node_modules/x/index.js": ["/w/node_modules/y/index.js"],
    },
    expectedFiles: {
      "/w/app/node_modules/x/index.js": "node_modules/x/index.js",
      "/w/node_modules/y/index.js": "node_modules/y/index.js",
      "/w/node_modules/x/index.js": "svc_packages/node_modules/x/index.js",
    },
    expectedLinks: { "node_modules/y/node_modules/x": "../../../svc_packages/node_modules/x" },
  },
};

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`placePackages() finds places for ${name}`, () => {
    const files = new Map(
      [...Object.entries(row.files), [ENTRY, []] as const].map(([path, parents]) => [path, {
        parents: new Set<string>(parents),
      }]),
    );
    const placed = placePackages({ files, links: new Map(Object.entries(row.links ?? {})) }, {
      base: "/w",
      stores: ["/w/app/node_modules", "/w/node_modules"],
      directory: row.directory ?? ".",
      deployed: (path) => path === ENTRY ? `${row.directory ?? "."}/index.js` : undefined,
    });
    assert.deepEqual(Object.fromEntries(placed.files), row.expectedFiles);
    assert.deepEqual(placed.links, row.expectedLinks ?? {});
  });
}
