/**
 * The header fields of a request, as far as anything here asks for them.
 *
 * @module
 */

export interface RequestFields {
  /** The value of a field by its lower-case name; `null` where it is missing. */
  header(name: string): string | null;
}
