import { type Begun, begunBefore } from '../../ui/Completion.tsx'

/** Two characters and more, the first a letter: what smiles with a nose is sent as it stands. */
const BEGUN = /(?:^|[\s([{"“«])(:([a-z][a-z0-9_+-]{1,29}|[+-]1))$/i

/** Returns the `:code` that ends at the caret; undefined within a word or in code. */
export const codeBefore = (text: string, caret: number): Begun | undefined => begunBefore(text, caret, BEGUN, 40)
