/**
 * How an account differs from its pin: another key, another name, a name pinned for another account, two keys that two own
 * browsers pinned, a safety number that differs, or a first key in a book that was started anew. Nothing is sent to it until the
 * person decides [Note: I1, I2, I3].
 */
export type Mismatch = 'key_changed' | 'name_changed' | 'name_taken' | 'key_conflict' | 'numbers_differ' | 'key_undecided'

/** True if only sending stops: the key is the pinned one, so what comes from it is still read and its device lists are followed. */
export const isStillRead = (mismatch: Mismatch): boolean => mismatch === 'numbers_differ' || mismatch === 'key_undecided'
