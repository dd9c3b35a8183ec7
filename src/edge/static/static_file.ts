/**
 * @module A file of a site that is ready to be served, with the header fields of each stored form.
 */
import { checkOnce, type Header, type HeaderList } from "../messages/header_list.ts";
import type { ContentCoding } from "./accept_encoding.ts";
import { defaultCacheControl } from "./cache_control.ts";
import { contentType } from "./content_type.ts";
import { entityTag } from "../../lib/entity_tag.ts";

/** A file as uploaded. */
export interface SiteFile {
  /** Relative to the output directory, with `/` as separator. */
  readonly path: string;
  /** Lowercase hexadecimal. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

const NOSNIFF: Header = ["x-content-type-options", "nosniff"];
const ACCEPT_RANGES: Header = ["accept-ranges", "bytes"];
const VARY: Header = ["vary", "accept-encoding"];

interface Form {
  /** Path of the file, relative to its layer. Determines the type and `Cache-Control`. */
  readonly path: string;
  readonly coding: ContentCoding | undefined;
  /** Whether the file has several forms, so the choice depends on the request. */
  readonly varies: boolean;
  /** Header fields of every response from the site. */
  readonly common: HeaderList;
}

/** One stored form of a file: plain, or precompressed. */
export class Representation {
  /** Hash of the content, which is also the name of the blob. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  readonly coding: ContentCoding | undefined;
  readonly #form: Form;
  #headers: HeaderList | undefined;

  constructor(stored: SiteFile, form: Form) {
    this.sha256 = stored.sha256;
    this.size = stored.size;
    this.etag = entityTag(stored.sha256);
    this.coding = form.coding;
    this.#form = form;
  }

  /**
   * All header fields of a 200 except `content-length` and the request ID. They are built on first
   * use, because few files of a large site are ever requested.
   */
  get headers(): HeaderList {
    return this.#headers ??= checkOnce(this.#buildHeaders());
  }

  #buildHeaders(): HeaderList {
    const { path, coding, varies, common } = this.#form;
    const headers: Header[] = [
      ["content-type", contentType(path)],
      ["cache-control", defaultCacheControl(path)],
      ["etag", this.etag],
      ACCEPT_RANGES,
      NOSNIFF,
    ];
    if (varies) headers.push(VARY);
    if (coding !== undefined) headers.push(["content-encoding", coding]);
    headers.push(...common);
    return headers;
  }
}

export interface StaticFile {
  readonly plain: Representation;
  /** Precompressed forms (`<path>.br`, `<path>.gz`); usually none. */
  readonly variants: readonly Representation[];
}
