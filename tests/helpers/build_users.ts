/**
 * Users for the builds of test platforms: a platform that starts ends what is
 * left of its users, and tests run beside each other.
 *
 * @module
 */

/** Users of test platforms' builds count from here. */
export const FIRST_TEST_UID = 100_000;
/** Users of one platform's builds; those of its default range may be another platform's. */
const BUILD_USERS = 1000;
/** So many that two platforms hardly ever have the same, whichever process or thread tests run in. */
const PLACES = 2 ** 18;

/** A first user for builds that no other test has. */
export function freeBuildUid(): number {
  return FIRST_TEST_UID + Math.floor(Math.random() * PLACES) * BUILD_USERS;
}
