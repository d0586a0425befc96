import type { SignedBook } from '../../../contract/account/devices.ts'
import { fromBase64, fromUtf8, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import type { HistoryKey } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { signBook } from '../keys/signature.ts'
import { hkdf, openWith, sealWith } from '../primitives/seal.ts'

const BOOK = 'conclave/book/v1'
const bookKey = (historySeed: Uint8Array): Promise<Uint8Array> => hkdf(historySeed, 'conclave/book-key/v1')

/** Seals and signs a book's text [Note: I1]. */
export async function sealText(
  by: Pick<Live, 'device' | 'identityKey'>,
  { id, seed }: HistoryKey,
  version: number,
  text: string,
): Promise<SignedBook> {
  const sealed = await sealWith(await bookKey(seed), BOOK, utf8(text), by.identityKey, String(version))
  return signBook(by, { version, historyKeyId: id, sealed: toBase64(sealed) })
}

/** Returns the exact text. Throws 'seal'. */
export async function openText(
  identityKey: Uint8Array,
  { seed }: HistoryKey,
  { version, sealed }: { version: number; sealed: string },
): Promise<string> {
  return fromUtf8(await openWith(await bookKey(seed), BOOK, fromBase64(sealed), identityKey, String(version)))
}
