import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, withBook } from '../lists/book.ts'

/** The row of an earlier build. */
const EARLIER = 'steady'

/** Decision 0123. */
export async function isSteady(live: Live): Promise<boolean> {
  const { isSteady: isOn } = await readBook(live)
  if (isOn !== undefined) return isOn
  return withBook(live, async () => {
    // Another tab may have switched it meanwhile.
    const { isSteady: isSwitched } = await readBook(live)
    if (isSwitched !== undefined) return isSwitched
    const wasOn = (await live.vault.get('sealed', EARLIER)) !== undefined
    if (wasOn) await write(live, true)
    return wasOn
  })
}

export const setSteady = (live: Live, isOn: boolean): Promise<void> => withBook(live, () => write(live, isOn))

const write = async (live: Live, isOn: boolean): Promise<void> =>
  live.vault.write([bookWrite({ ...(await readBook(live)), isSteady: isOn }), { store: 'sealed', key: EARLIER, value: null }])
