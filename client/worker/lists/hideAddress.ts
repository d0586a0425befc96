import { z } from 'zod'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { type AddressChoice, bookWrite, readBook, withBook } from './book.ts'

const CHOSEN_HERE = 'addressChosen'

/** Returns null for the default [Note: I4]. */
export async function readHideAddress(live: Live): Promise<boolean | null> {
  const choice = (await readBook(live)).book.addressChoice?.choice ?? 'default'
  return choice === 'default' ? null : choice !== 'shown'
}

export const setHideAddress = (live: Live, hides: boolean | null): Promise<void> =>
  chooses(live, hides === null ? 'default' : hides ? 'hidden' : 'shown')

function chooses(live: Live, choice: AddressChoice['choice']): Promise<void> {
  return withBook(live, async () => {
    const row = await readBook(live)
    const n = (row.book.addressChoice?.n ?? 0) + 1
    const book = { ...row.book, addressChoice: { ...row.book.addressChoice, choice, n } }
    const noted: Write = { store: 'sealed', key: CHOSEN_HERE, value: { json: n } }
    await live.vault.write([noted, bookWrite({ ...row, isDirty: true, book })])
  })
}

/** Takes back what a thief may have chosen. */
export async function dropForeignAddress(live: Live): Promise<void> {
  const [{ book }, row] = await Promise.all([readBook(live), live.vault.get('sealed', CHOSEN_HERE)])
  const { choice, n } = book.addressChoice ?? {}
  if (choice === 'shown' && n !== (row && jsonOf(z.number(), row))) await chooses(live, 'default')
}
