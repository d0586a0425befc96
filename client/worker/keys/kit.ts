import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { toBase64Url } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, randomBytes } from '../primitives/seal.ts'
import type { Bytes32 } from '../primitives/sizes.ts'

// Loaded on first use: the word list would slow the worker's start.

const WORDS = 24
/** BIP-39. */
const TELLING_LETTERS = 4

/** What a kit yields [Note: K1]. `kitSecret` goes to the server: 43 characters, base64url. */
interface Kit {
  seed: Bytes32
  kitSecret: string
}

/** 32 random bytes as 24 English words (BIP-39). */
export async function makeKit(): Promise<Kit & { words: string[] }> {
  const entropy = randomBytes(32)
  const words = entropyToMnemonic(entropy, wordlist).split(' ')
  return { words, ...(await kitOf(entropy)) }
}

/** Accepts any case, separators, numbers before words, and four letters of a word. Throws 'kit_words' with the reason. */
export async function readKit(typed: string): Promise<Kit> {
  const words = typed
    .normalize('NFKC')
    .toLowerCase()
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^[^\p{L}]*\d[^\p{L}]*|^[^\p{L}\d]+/u, '').replace(/[^\p{L}\d]+$/u, ''))
    .filter((word) => word !== '')
    .map(listed)
  if (words.length !== WORDS)
    throw new CryptoFailure(
      'kit_words',
      `A recovery kit has ${WORDS} words. ${words.length === 1 ? 'This is 1' : `These are ${words.length}`}`,
    )
  try {
    return await kitOf(mnemonicToEntropy(words.join(' '), wordlist))
  } catch {
    // No `cause`: the library's message may quote the kit.
    throw new CryptoFailure('kit_words', 'These words do not belong together. Check their order and spelling')
  }
}

function listed(word: string, at: number): string {
  const found = wordlist.includes(word)
    ? word
    : word.length >= TELLING_LETTERS && wordlist.find((candidate) => candidate.startsWith(word))
  if (!found) throw new CryptoFailure('kit_words', `Word ${at + 1}, "${word}", is not a word of a recovery kit`)
  return found
}

async function kitOf(entropy: Uint8Array): Promise<Kit> {
  const [seed, auth] = await Promise.all([hkdf(entropy, 'conclave/kit-seed/v1'), hkdf(entropy, 'conclave/kit-auth/v1')])
  erase(entropy)
  return { seed, kitSecret: toBase64Url(auth) }
}
