import { fromBase64 } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf } from '../primitives/seal.ts'
import type { LockSecret } from '../vault/wraps.ts'
import type { Way } from './keyring.ts'
import { LOCAL_LOCK, stretchPassword } from './password.ts'

/** What a password is stretched from: `salt` is the server's, in base64. */
interface Typed {
  username: string
  password: string
  salt: string
}

/** A passkey's answer: its credential id in base64url and the 32 bytes of its PRF extension in base64. */
export interface PasskeyAnswer {
  id: string
  output: string
}

/** The ways in that the worker holds in memory [Note: K1]: `way` was entered and opens the keyring; the new ones wait until a key change uses them. */
export interface HeldWays {
  way?: Way | undefined
  newPassword?: Way | undefined
  newKit?: (Way & { kitSecret: string }) | undefined
  newPasskey?: Way | undefined
  /** What the entered ways are to the local lock: one of each kind [Note: V3]. */
  locks?: LockSecret[] | undefined
  newPasswordLock?: LockSecret | undefined
}

/** The way at ways. Throws CryptoFailure('password') where there is none. */
export function enteredWay({ way }: HeldWays): Way {
  if (!way) throw new CryptoFailure('password', 'Enter the password again')
  return way
}

/** Overwrites the seed of the way that was entered; the new ones stay. */
export function eraseEnteredWay(ways: HeldWays): void {
  if (ways.way) erase(ways.way.seed)
  ways.way = undefined
}

/** Overwrites every seed. */
export function eraseWays(ways: HeldWays): void {
  eraseEnteredWay(ways)
  for (const way of [ways.newPassword, ways.newKit, ways.newPasskey]) if (way) erase(way.seed)
  for (const lock of [...(ways.locks ?? []), ...(ways.newPasswordLock ? [ways.newPasswordLock] : [])]) erase(lock.secret)
  ways.locks = undefined
  ways.newPasswordLock = undefined
  ways.newPassword = undefined
  ways.newKit = undefined
  ways.newPasskey = undefined
}

/** The verbs by which seeds get into the worker. What comes out is for the server or, of a new kit, for the person. */
export const wayVerbs = (ways: HeldWays) => ({
  /** Argon2id over the password [Note: P1]: it becomes the entered way; only `authSecret` comes out. */
  async stretch(typed: Typed): Promise<{ authSecret: string }> {
    const { authSecret, way, lock } = await stretched(typed)
    eraseEnteredWay(ways)
    ways.way = way
    holdLock(ways, lock)
    return { authSecret }
  },
  /** The same over a new password, which waits for the key change. */
  async stretchNew(typed: Typed): Promise<{ authSecret: string }> {
    const { authSecret, way, lock } = await stretched(typed)
    if (ways.newPassword) erase(ways.newPassword.seed)
    if (ways.newPasswordLock) erase(ways.newPasswordLock.secret)
    ways.newPassword = way
    ways.newPasswordLock = lock
    return { authSecret }
  },
  /** The recovery kit becomes the way at ways. Throws CryptoFailure('kit_words') with what is wrong with the words. */
  async enterKit({ words }: { words: string }): Promise<{ kitSecret: string }> {
    const { readKit } = await import('./kit.ts')
    const { seed, kitSecret } = await readKit(words)
    eraseEnteredWay(ways)
    ways.way = { id: 'kit', kind: 'kit', seed }
    return { kitSecret }
  },
  /** A passkey becomes the way at ways. */
  async enterPasskey(answer: PasskeyAnswer): Promise<void> {
    const [way, lock] = await Promise.all([passkeyWay(answer), passkeyLock(answer)])
    eraseEnteredWay(ways)
    ways.way = way
    holdLock(ways, lock)
  },
  /** A new recovery kit, which waits for the key change. The words are for the person's eyes and paper only. */
  async newKit(): Promise<{ words: string[]; kitSecret: string }> {
    const { makeKit } = await import('./kit.ts')
    const { words, seed, kitSecret } = await makeKit()
    if (ways.newKit) erase(ways.newKit.seed)
    ways.newKit = { id: 'kit', kind: 'kit', seed, kitSecret, madeAt: new Date().toISOString() }
    return { words, kitSecret }
  },
  /** A new passkey, which waits for the key change. */
  async newPasskey(answer: PasskeyAnswer): Promise<void> {
    const way = await passkeyWay(answer)
    if (ways.newPasskey) erase(ways.newPasskey.seed)
    ways.newPasskey = { ...way, madeAt: new Date().toISOString() }
  },
})

function holdLock(ways: HeldWays, lock: LockSecret): void {
  const others = (ways.locks ?? []).filter(({ kind }) => kind !== lock.kind)
  ways.locks = [...others, lock]
}

interface Stretched {
  authSecret: string
  way: Way
  lock: LockSecret
}

async function stretched({ username, password, salt: sent }: Typed): Promise<Stretched> {
  const salt = fromBase64(sent)
  const { authSecret, passwordSeed, lockSecret } = await stretchPassword(username, password, salt)
  const way: Way = { id: 'password', kind: 'password', seed: passwordSeed }
  return { authSecret, way, lock: { kind: 'password', secret: lockSecret, salt } }
}

/** What a passkey is to the local lock of a browser [Note: V3]. */
export async function passkeyLock({ id, output }: PasskeyAnswer): Promise<LockSecret> {
  const bytes = fromBase64(output)
  const secret = await hkdf(bytes, LOCAL_LOCK)
  erase(bytes)
  return { kind: 'passkey', secret, id }
}

async function passkeyWay({ id, output }: PasskeyAnswer): Promise<Way> {
  const bytes = fromBase64(output)
  if (bytes.length !== 32) throw new CryptoFailure('passkey', 'This passkey does not make keys')
  // Under a label of its own, so that what else a passkey may open one day is another secret.
  const seed = await hkdf(bytes, 'conclave/passkey-seed/v1')
  erase(bytes)
  return { id: `passkey:${id}`, kind: 'passkey', seed }
}
