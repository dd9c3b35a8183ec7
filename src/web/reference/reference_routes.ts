/** @module `/docs/api`: the API reference. */
import { Failure } from "../../platform/core/http/mod.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { readReference, type Reference } from "./read_reference.ts";

const REFERENCE_PATH = "/docs/api";

/** Binds the reference pages. Their code and the document are loaded on the first visit. */
export function bindReferencePages(
  bind: PageBinder,
  platform: { readonly url: string; readonly version: string },
): void {
  let loading: Promise<[Reference, typeof import("./reference_pages.tsx")]> | undefined;
  const load = () =>
    loading ??= Promise.all([
      readReference(REFERENCE_PATH, platform),
      import("./reference_pages.tsx"),
    ]);
  bind.open("GET", REFERENCE_PATH, async () => {
    const [reference, { referenceOverview }] = await load();
    return referenceOverview(reference);
  });
  bind.open("GET", `${REFERENCE_PATH}/:part`, async ({ params }) => {
    const [reference, { referencePart }] = await load();
    const part = reference.parts.find(({ slug }) => slug === params.part);
    if (part === undefined) {
      throw new Failure("not_found", `API section "${params.part}" does not exist`);
    }
    return referencePart(reference, part);
  });
}
