import { devicesApi, type SignedBook } from '../../contract/account/devices.ts'
import { toBase64, utf8 } from '../../contract/ground/bytes.ts'
import type { Live } from '../worker/keys/live.ts'
import { signBook } from '../worker/keys/signature.ts'
import { type Book, readBook } from '../worker/lists/book.ts'
import { hkdf, sealWith } from '../worker/primitives/seal.ts'
import { at, type TestPerson } from './people.ts'
import { patchedClient } from './room.ts'
import type { Wire } from './wire.ts'

/** Seals any text as the account's next book, as a patched page of one of its browsers does. */
export async function sealedBook(live: Live, version: number, text: string): Promise<SignedBook> {
  const history = live.history.at(-1)
  if (!history) throw new Error('No history key')
  const key = await hkdf(history.seed, 'conclave/book-key/v1')
  const sealed = toBase64(await sealWith(key, 'conclave/book/v1', utf8(text), live.identityKey, String(version)))
  return signBook(live, { version, historyKeyId: history.id, sealed })
}

/** Saves what `change` makes of the book that this browser has merged. */
export async function writesBook(
  wire: Wire,
  stolen: TestPerson,
  other: { userId: string },
  change: (book: Book) => object | string,
): Promise<void> {
  const { live } = await at(stolen.computer, () => patchedClient(stolen, other))
  const written = change((await readBook(live)).book)
  const version = (wire.accounts.get(stolen.userId)?.book.version ?? 0) + 1
  const text = typeof written === 'string' ? written : JSON.stringify(written)
  await stolen.env.api(devicesApi.saveBook, await sealedBook(live, version, text))
  live.vault.close()
}
