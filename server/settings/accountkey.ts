import { HDKey } from '@scure/bip32'
import { ConfigError } from './variables.ts'

/** The bytes before extended keys, by their first letter (SLIP-132). */
const VERSIONS = {
  x: { public: 0x0488b21e, private: 0x0488ade4 },
  z: { public: 0x04b24746, private: 0x04b2430c },
  t: { public: 0x043587cf, private: 0x04358394 },
  v: { public: 0x045f1cf6, private: 0x045f18bc },
} as const
type Letter = keyof typeof VERSIONS

/** Purpose, coin and account (BIP-44). */
const ACCOUNT_DEPTH = 3

/** Throws on any damage. */
export function readAccountKey(xpub: string): HDKey {
  const letter = Object.keys(VERSIONS).find((each): each is Letter => xpub.startsWith(`${each}pub`))
  if (!letter) throw new Error('No extended public key')
  return HDKey.fromExtendedKey(xpub, VERSIONS[letter])
}

/** Throws ConfigError, which repeats no key. */
export function checkAccountKey(name: string, xpub: string, letters: string): HDKey {
  const expected = (what: string, found: string) => new ConfigError(name, what, found)
  const key = tryRead(xpub)
  if (!key) throw expected('the extended public key of an account, such as xpub6C…, whole', 'something else')
  if (!letters.includes(xpub.charAt(0)))
    throw expected(
      `a key of the network that the server takes, ${[...letters].map((each) => `${each}pub`).join(' or ')}…`,
      `${xpub.slice(0, 4)}…`,
    )
  if (key.depth !== ACCOUNT_DEPTH)
    throw expected("the key of an account, three steps below the master key, such as m/84'/0'/0'", `a key of depth ${key.depth}`)
  return key
}

function tryRead(xpub: string): HDKey | undefined {
  try {
    return readAccountKey(xpub)
  } catch {
    // Its reason may repeat the key.
    return undefined
  }
}
