import { fromBase64 } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf } from '../primitives/seal.ts'
import type { Way } from './keyring.ts'
import { stretchPassword } from './password.ts'

/** What a password is stretched from: `salt` is the server's, in base64. */
interface Typed {
  username: string
  password: string
  salt: string
}

/** A passkey's answer: its credential id in base64url and the 32 bytes of its PRF extension in base64. */
interface PasskeyAnswer {
  id: string
  output: string
}

/** The ways in that the worker holds [Note: K1]: one at hand that opens, and new ones kept aside until a change uses them. */
export interface Hand {
  way?: Way | undefined
  newPassword?: Way | undefined
  newKit?: (Way & { kitSecret: string }) | undefined
  newPasskey?: Way | undefined
}

/** The way at hand. Throws CryptoFailure('password') where there is none. */
export function wayAtHand({ way }: Hand): Way {
  if (!way) throw new CryptoFailure('password', 'Enter the password again')
  return way
}

/** Overwrites the seed of the way at hand; what is kept aside stays. */
export function putDown(hand: Hand): void {
  if (hand.way) erase(hand.way.seed)
  hand.way = undefined
}

/** Overwrites every seed. */
export function emptyHand(hand: Hand): void {
  putDown(hand)
  for (const way of [hand.newPassword, hand.newKit, hand.newPasskey]) if (way) erase(way.seed)
  hand.newPassword = undefined
  hand.newKit = undefined
  hand.newPasskey = undefined
}

/** The verbs by which seeds get into the worker. What comes out is for the server or, of a new kit, for the person. */
export const handVerbs = (hand: Hand) => ({
  /** Argon2id over the password [Note: P1]: it becomes the way at hand; only `authSecret` comes out. */
  async stretch(typed: Typed): Promise<{ authSecret: string }> {
    const { authSecret, way } = await stretched(typed)
    putDown(hand)
    hand.way = way
    return { authSecret }
  },
  /** The same over a new password, kept aside. */
  async stretchNew(typed: Typed): Promise<{ authSecret: string }> {
    const { authSecret, way } = await stretched(typed)
    if (hand.newPassword) erase(hand.newPassword.seed)
    hand.newPassword = way
    return { authSecret }
  },
  /** The recovery kit becomes the way at hand. Throws CryptoFailure('kit_words') with what is wrong with the words. */
  async enterKit({ words }: { words: string }): Promise<{ kitSecret: string }> {
    const { readKit } = await import('./kit.ts')
    const { seed, kitSecret } = await readKit(words)
    putDown(hand)
    hand.way = { id: 'kit', kind: 'kit', seed }
    return { kitSecret }
  },
  /** A passkey becomes the way at hand. */
  async enterPasskey(answer: PasskeyAnswer): Promise<void> {
    const way = await passkeyWay(answer)
    putDown(hand)
    hand.way = way
  },
  /** A new recovery kit, kept aside. The words are for the person's eyes and paper only. */
  async newKit(): Promise<{ words: string[]; kitSecret: string }> {
    const { makeKit } = await import('./kit.ts')
    const { words, seed, kitSecret } = await makeKit()
    if (hand.newKit) erase(hand.newKit.seed)
    hand.newKit = { id: 'kit', kind: 'kit', seed, kitSecret, madeAt: new Date().toISOString() }
    return { words, kitSecret }
  },
  /** A new passkey, kept aside. */
  async newPasskey(answer: PasskeyAnswer): Promise<void> {
    const way = await passkeyWay(answer)
    if (hand.newPasskey) erase(hand.newPasskey.seed)
    hand.newPasskey = { ...way, madeAt: new Date().toISOString() }
  },
})

async function stretched({ username, password, salt }: Typed): Promise<{ authSecret: string; way: Way }> {
  const { authSecret, passwordSeed } = await stretchPassword(username, password, fromBase64(salt))
  return { authSecret, way: { id: 'password', kind: 'password', seed: passwordSeed } }
}

async function passkeyWay({ id, output }: PasskeyAnswer): Promise<Way> {
  const bytes = fromBase64(output)
  if (bytes.length !== 32) throw new CryptoFailure('passkey', 'This passkey does not make keys')
  // Under a label of its own, so that what else a passkey may open one day is another secret.
  const seed = await hkdf(bytes, 'conclave/passkey-seed/v1')
  erase(bytes)
  return { id: `passkey:${id}`, kind: 'passkey', seed }
}
