/** @module The tags of a response, which can be used to purge it. */
import { type HeaderList, joinedHeader } from "../messages/header_list.ts";

/** Fields that name tags, separated by commas. */
const TAG_FIELDS = ["svc-cache-tag", "cache-tag", "x-next-cache-tags"] as const;

/** Maximum number of tags on one response. */
const MAX_TAGS = 128;

/** Maximum length of a tag, in characters. */
const MAX_TAG_CHARACTERS = 256;

const NONE: readonly string[] = Object.freeze([]);

/**
 * Returns the tags that a response names, without duplicates, or `undefined` if they exceed the
 * limits.
 */
export function cacheTags(headers: HeaderList): readonly string[] | undefined {
  const fields = TAG_FIELDS.map((name) => joinedHeader(headers, name))
    .filter((field) => field !== undefined);
  if (fields.length === 0) return NONE;
  const named = fields.flatMap((field) => field.split(",")).map((tag) => tag.trim());
  const tags = [...new Set(named)].filter((tag) => tag !== "");
  const isWithin = tags.length <= MAX_TAGS && tags.every((tag) => tag.length <= MAX_TAG_CHARACTERS);
  return isWithin ? tags : undefined;
}
