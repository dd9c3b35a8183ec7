/**
 * `/docs/api`: the reference of the API.
 *
 * @module
 */
import type { Components, OperationNode } from "../contract/openapi.ts";
import { Failure } from "../platform/core/http/mod.ts";
import type { PageBinder } from "./page_binder.tsx";
import type { Reference } from "./reference_pages.tsx";

const REFERENCE_PATH = "/docs/api";

const slugOf = (name: string): string => name.toLowerCase().replaceAll(" ", "-");

async function readReference(
  platform: { readonly url: string; readonly version: string },
): Promise<Reference> {
  const { openApiDocument, operationsOf } = await import("../contract/openapi.ts");
  const document = openApiDocument({ version: platform.version, serverUrl: platform.url });
  const operations = operationsOf(document);
  return {
    root: REFERENCE_PATH,
    version: platform.version,
    schemas: document.components?.schemas as Components,
    responses: document.components?.responses as OperationNode["responses"],
    parts: (document.tags ?? []).map(({ name, description = "" }) => ({
      name,
      slug: slugOf(name),
      description,
      operations: operations.filter(({ operation }) => operation.tags.includes(name)),
    })),
  };
}

/** Binds the pages of the reference; they and the document are loaded when first asked for. */
export function bindReferencePages(
  bind: PageBinder,
  platform: { readonly url: string; readonly version: string },
): void {
  let loading: Promise<[Reference, typeof import("./reference_pages.tsx")]> | undefined;
  const load = () =>
    loading ??= Promise.all([readReference(platform), import("./reference_pages.tsx")]);
  bind.open("GET", REFERENCE_PATH, async () => {
    const [reference, { referenceOverview }] = await load();
    return referenceOverview(reference);
  });
  bind.open("GET", `${REFERENCE_PATH}/:part`, async ({ params }) => {
    const [reference, { referencePart }] = await load();
    const part = reference.parts.find(({ slug }) => slug === params.part);
    if (part === undefined) throw new Failure("not_found", "The API has no such part");
    return referencePart(reference, part);
  });
}
