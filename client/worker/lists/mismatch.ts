/** Each stops sending [Note: D1, I1, I2, I3]. */
export type Mismatch =
  | 'key_changed'
  | 'name_changed'
  | 'name_taken'
  | 'key_conflict'
  | 'numbers_differ'
  | 'key_undecided'
  | 'list_absent'

export const isStillRead = (mismatch: Mismatch): boolean => mismatch === 'numbers_differ' || mismatch === 'key_undecided'
