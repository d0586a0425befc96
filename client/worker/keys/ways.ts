import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { loadPart } from '../primitives/loadPart.ts'
import { erase, hkdf } from '../primitives/seal.ts'
import type { LockSecret } from '../vault/wraps.ts'
import type { Way } from './keyring.ts'
import { type PasskeyAnswer, passkeyLock } from './lockSecret.ts'
import { stretchPassword } from './password.ts'

/** `salt`: the server's, base64. */
interface Typed {
  username: string
  password: string
  salt: string
}

/** The entered way opens the keyring; new ones wait for a key change [Note: K1]. */
export interface HeldWays {
  way?: Way | undefined
  newPassword?: Way | undefined
  newKit?: (Way & { kitSecret: string }) | undefined
  newPasskey?: Way | undefined
  /** One of each kind, from entered ways [Note: V3]. */
  locks?: LockSecret[] | undefined
  newPasswordLock?: LockSecret | undefined
}

/** Throws 'password' without one. */
export function enteredWay({ way }: HeldWays): Way {
  if (!way) throw new CryptoFailure('password', 'Enter the password again')
  return way
}

/** The new ways stay. */
export function eraseEnteredWay(ways: HeldWays): void {
  if (ways.way) erase(ways.way.seed)
  ways.way = undefined
}

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

/** Seeds enter the worker here. Danger: return only secrets for the server, and a new kit's words. */
export const wayVerbs = (ways: HeldWays) => ({
  /** The password becomes the entered way [Note: P1]. */
  async stretch(typed: Typed): Promise<{ authSecret: string }> {
    const { authSecret, way, lock } = await stretched(typed)
    eraseEnteredWay(ways)
    ways.way = way
    holdLock(ways, lock)
    return { authSecret }
  },
  /** The new password waits for the key change. */
  async stretchNew(typed: Typed): Promise<{ authSecret: string }> {
    const { authSecret, way, lock } = await stretched(typed)
    if (ways.newPassword) erase(ways.newPassword.seed)
    if (ways.newPasswordLock) erase(ways.newPasswordLock.secret)
    ways.newPassword = way
    ways.newPasswordLock = lock
    return { authSecret }
  },
  /** Throws 'kit_words' with the reason. */
  async enterKit({ words }: { words: string }): Promise<{ kitSecret: string }> {
    const { readKit } = await loadPart(() => import('./kit.ts'))
    const { seed, kitSecret } = await readKit(words)
    eraseEnteredWay(ways)
    ways.way = { id: 'kit', kind: 'kit', seed }
    return { kitSecret }
  },
  /** Throws 'passkey' unless the output has 32 bytes. */
  async enterPasskey(answer: PasskeyAnswer): Promise<void> {
    const [way, lock] = await Promise.all([passkeyWay(answer), passkeyLock(answer)])
    eraseEnteredWay(ways)
    ways.way = way
    holdLock(ways, lock)
  },
  /** The kit waits for the key change. Danger: show the words only to the person, and never store them. */
  async newKit(): Promise<{ words: string[]; kitSecret: string }> {
    const { makeKit } = await loadPart(() => import('./kit.ts'))
    const { words, seed, kitSecret } = await makeKit()
    if (ways.newKit) erase(ways.newKit.seed)
    ways.newKit = { id: 'kit', kind: 'kit', seed, kitSecret, madeAt: new Date().toISOString() }
    return { words, kitSecret }
  },
  /** The passkey waits for the key change. Throws as `enterPasskey` does. */
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

async function passkeyWay({ id, output }: PasskeyAnswer): Promise<Way> {
  const bytes = fromBase64(output)
  if (bytes.length !== 32) throw new CryptoFailure('passkey', 'This passkey does not make keys')
  // Another use of a passkey gets another label.
  const seed = await hkdf(bytes, 'conclave/passkey-seed/v1')
  erase(bytes)
  return { id: `passkey:${id}`, kind: 'passkey', seed }
}
