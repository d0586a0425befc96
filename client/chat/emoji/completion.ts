export interface BegunCode {
  /** The place of the colon. */
  from: number
  to: number
  /** At least two characters. */
  query: string
}

/** Begins with a letter: what smiles with a nose is sent as it stands. */
const BEGUN = /(?:^|[\s([{"“«])(:([a-z][a-z0-9_+-]{1,29}|[+-]1))$/i

/** Returns the `:code` that ends at the caret; undefined within a word or in code. */
export function codeBefore(text: string, caret: number): BegunCode | undefined {
  const before = text.slice(0, caret)
  const [, whole = '', query = ''] = BEGUN.exec(before.slice(-40)) ?? []
  // Each backtick opens code or ends it.
  if (whole === '' || (before.split('`').length - 1) % 2 === 1 || /^[\w]/.test(text.slice(caret))) return undefined
  return { from: caret - whole.length, to: caret, query }
}
