/**
 * The documents of this repository's `docs`, as the program carries them.
 *
 * @module
 */
export { CONTENTS, type Section } from "./contents.ts";
export type { Document, Library } from "./library.ts";
export { nameOfPage, pagePath, placeOf } from "./places.ts";
export { DOCUMENTS_FILE, readLibrary, readSources } from "./read_library.ts";
