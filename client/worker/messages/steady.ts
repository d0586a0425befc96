import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, withBook } from '../lists/book.ts'

/** Decision 0123. */
export const isSteady = async (live: Live): Promise<boolean> => (await readBook(live)).isSteady === true

export const setSteady = (live: Live, isOn: boolean): Promise<void> =>
  withBook(live, async () => live.vault.write([bookWrite({ ...(await readBook(live)), isSteady: isOn })]))
