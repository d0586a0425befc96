/** Each stops sending [Note: I1, I2, I3]. */
export type Mismatch = 'key_changed' | 'name_changed' | 'name_taken' | 'key_conflict' | 'numbers_differ' | 'key_undecided'

export const isStillRead = (mismatch: Mismatch): boolean => mismatch === 'numbers_differ' || mismatch === 'key_undecided'
