import { vi } from 'vitest'
import { parseEnvelope } from '../../contract/chat/envelope.ts'
import type { ArchiveKey } from '../../contract/chat/rooms.ts'
import { openLive } from '../worker/account/openAccount.ts'
import type { Live } from '../worker/keys/live.ts'
import { openArchiveKey } from '../worker/messages/archive.ts'
import { openByArchive } from '../worker/messages/sealedMessage.ts'
import { openWith } from '../worker/primitives/seal.ts'
import { STORES } from '../worker/vault/vaultRows.ts'
import { readDisk } from './disk.ts'
import { at, type TestPerson } from './people.ts'

// What somebody reads who has a browser's disk and all keys of its open vault, but no chat password.

/** A browser's disk, and what opens its vault. */
export type OpenBrowser = Pick<TestPerson, 'userId' | 'username' | 'unlock' | 'computer'>

export const openLiveOf = ({ userId, username, unlock, computer }: OpenBrowser): Promise<Live> =>
  at(computer, () => openLive(userId, unlock, username))

/** Every plaintext that the open vault's key gives of this browser's disk, as text. */
export async function openedRows(one: OpenBrowser): Promise<string[]> {
  const key = await vaultKeyOf(one)
  const disks = (await readDisk(one.computer)).filter(({ name }) => name.includes(one.userId))
  const texts: string[] = []
  for (const { name, rows } of disks.flatMap((disk) => disk.stores)) {
    if (!(STORES as readonly string[]).includes(name)) continue
    for (const [rowKey, value] of rows) {
      const bytes = Buffer.from((value as { $bytes: string }).$bytes, 'base64')
      const place = typeof rowKey === 'string' ? [rowKey] : (rowKey as unknown[]).map(String)
      const plain = await openWith(key, 'conclave/vault-row/v1', bytes, name, ...place)
      texts.push(`${name} ${place} ${Buffer.from(plain).toString('latin1')}`)
    }
  }
  return texts
}

/** The key of the open vault, taken on its way to WebCrypto. */
async function vaultKeyOf(one: OpenBrowser): Promise<CryptoKey> {
  const spy = vi.spyOn(crypto.subtle, 'decrypt')
  const live = await openLiveOf(one)
  await live.vault.get('sealed', 'device')
  const last = spy.mock.calls.at(-1)?.[1]
  spy.mockRestore()
  live.vault.close()
  if (!last) throw new Error('The vault was not opened')
  return last
}

/** The archive keys that the account's history keys give of the server's seals, and what these open of its envelopes. */
export async function openedEnvelopes(
  live: Live,
  seals: ArchiveKey[],
  contents: string[],
): Promise<{ keys: Uint8Array[]; texts: string[] }> {
  const keys = (await Promise.all(seals.map((seal) => openArchiveKey(live, seal)))).filter((key) => key !== undefined)
  const texts: string[] = []
  for (const content of contents) {
    const envelope = parseEnvelope(content)
    for (const key of envelope ? keys : []) {
      const opened = await openByArchive(key, envelope as NonNullable<typeof envelope>).catch(() => undefined)
      if (opened) texts.push(JSON.stringify(opened))
    }
  }
  return { keys, texts }
}
