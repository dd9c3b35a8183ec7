/**
 * The program's bill of materials: all packages in the lock file, as CycloneDX.
 *
 * @module
 */
import * as z from "zod";

const lockSchema = z.object({
  npm: z.record(z.string(), z.object({ integrity: z.string().optional() })),
});

/**
 * Reads the name and version from a key in the lock file, such as `@clack/core@1.2.3_peer@4.5.6`.
 */
function readKey(key: string): { readonly name: string; readonly version: string } {
  const [, name, version] = /^((?:@[^/]+\/)?[^@]+)@([^_]+)/.exec(key) ?? [];
  if (name === undefined || version === undefined) {
    throw new TypeError(`Cannot read the package "${key}" in deno.lock`);
  }
  return { name, version };
}

function component(
  [key, { integrity }]: readonly [string, { readonly integrity?: string | undefined }],
) {
  const { name, version } = readKey(key);
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const digest = /^sha512-(.+)$/.exec(integrity ?? "")?.[1];
  const hashes = digest === undefined
    ? {}
    : { hashes: [{ alg: "SHA-512", content: Uint8Array.fromBase64(digest).toHex() }] };
  return { type: "library", "bom-ref": purl, name, version, purl, ...hashes };
}

/** Returns a CycloneDX 1.6 document. The same input always results in the same text. */
export function makeSbom(lockText: string, version: string): string {
  const { npm } = lockSchema.parse(JSON.parse(lockText));
  const found = Object.entries(npm).map(component);
  // A package that is used with different peer dependencies has several keys.
  const components = [...new Map(found.map((each) => [each.purl, each])).values()]
    .sort((a, b) => a.purl < b.purl ? -1 : 1);
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": `svc@${version}`, name: "svc", version },
    },
    components,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
