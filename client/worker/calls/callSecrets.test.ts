import { wordlist } from '@scure/bip39/wordlists/english.js'
import { expect, test } from 'vitest'
import { type Bytes, decodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import { type HeldCall, heldCall } from '../keys/heldCalls.ts'
import { randomBytes } from '../primitives/seal.ts'
import { inOrder, type WordsOf, wordSeedOf, wordsOf } from './callSecrets.ts'
import { readFingerprint } from './fingerprints.ts'
import {
  accepts,
  answers,
  type Call,
  callers,
  connected,
  type End,
  newFingerprint,
  opens,
  rings,
  sdpOf,
  seals,
  wordsAt,
} from './testing.ts'

const forged = expect.objectContaining({ name: 'CryptoFailure', code: 'call_forged' })

test('The words are the first 44 bits of the seed, eleven each', () => {
  const seed = new Uint8Array(32)
  expect(wordsOf(seed, wordlist)).toEqual(['abandon', 'abandon', 'abandon', 'abandon'])
  // 11111111111 00000000001 00000000010 00000000100, and what follows changes nothing.
  seed.set([0b11111111, 0b11100000, 0b00000100, 0b00000001, 0b00000000, 0b01001111])
  expect(wordsOf(seed, wordlist)).toEqual([2047, 1, 2, 4].map((at) => wordlist[at]))
  expect(() => wordsOf(seed, wordlist.slice(0, 2047))).toThrow()
})

test('Each thing that the words stand for changes them', async () => {
  const pair = (): [Bytes, Bytes] => [randomBytes(32), randomBytes(32)]
  const words: WordsOf = { nonces: pair(), callKey: randomBytes(32), accountKeys: pair(), fingerprints: pair() }
  const turned = (name: 'nonces' | 'accountKeys' | 'fingerprints'): WordsOf => ({ ...words, [name]: [...words[name]].reverse() })
  const all = [words, turned('nonces'), turned('accountKeys'), turned('fingerprints'), { ...words, callKey: randomBytes(32) }]
  const seeds = await Promise.all(all.map(async (one) => String(await wordSeedOf(one))))
  expect(new Set(seeds).size).toBe(all.length)
})

// Eve rules the server, and stands between Alice and Bob since their first contact: each of them has pinned her key for the other's.

const CUT_BITS = 12

/** Words that are cut, so that a test finds equal ones in no time. */
const cut = (seed: Uint8Array): number => ((seed[0] ?? 0) << 4) | ((seed[1] ?? 0) >> 4)

/** Looks for two certificates of Eve's with which both ends read the same. */
async function grinds(toAlice: (own: Bytes) => WordsOf, toBob: (own: Bytes) => WordsOf): Promise<[Bytes, Bytes]> {
  const seen = new Map<number, Bytes>()
  while (seen.size < 2 ** (CUT_BITS / 2)) {
    const own = randomBytes(32)
    seen.set(cut(await wordSeedOf(toAlice(own))), own)
  }
  for (;;) {
    const own = randomBytes(32)
    const match = seen.get(cut(await wordSeedOf(toBob(own))))
    if (match) return [match, own]
  }
}

function held(end: End, { callId }: Call): HeldCall {
  const call = heldCall(end.live, { callId })
  if (!call) throw new Error('There is no such call')
  return call
}

/** What the words of a call of Eve's are made of, with another certificate of hers. */
const withCertificate =
  (call: HeldCall, theirs: string) =>
  (own: Bytes): WordsOf => ({
    nonces: inOrder(call, call.own.nonce, call.other?.nonce ?? new Uint8Array()),
    callKey: call.key ?? new Uint8Array(),
    accountKeys: inOrder(call, call.accountKeys.own, call.accountKeys.other),
    fingerprints: inOrder(call, own, readFingerprint(theirs)),
  })

const asText = (fingerprint: Uint8Array): string =>
  `sha-256 ${[...fingerprint].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':')}`

test('Eve, who stands between Alice and Bob since their first contact, finds certificates with the same words, and can use none: she has bound hers before she knows theirs', async () => {
  const { a, b, e } = await callers(({ alice, bob, eve }) => [
    [alice, eve],
    [eve, bob],
  ])
  const fromAlice: Call = { callId: crypto.randomUUID(), attempt: 1, caller: a, callee: { ...e, fingerprint: newFingerprint() } }
  const toBob: Call = { callId: crypto.randomUUID(), attempt: 1, caller: { ...e, fingerprint: newFingerprint() }, callee: b }
  // She hears all that she can before she says a word of her own.
  const commit = await rings(fromAlice)
  await accepts(toBob, await answers(toBob, await rings(toBob)))
  await accepts(fromAlice, await answers(fromAlice, commit))
  const offer = await seals(fromAlice, a, 'offer', sdpOf(a.fingerprint))
  await opens(fromAlice, e, offer)

  // Without the order of commitment and nonce she would choose her certificates now.
  const [one, other] = [held(e, fromAlice), held(e, toBob)]
  const [mine, yours] = await grinds(withCertificate(one, a.fingerprint), withCertificate(other, b.fingerprint))
  const seeds = [withCertificate(one, a.fingerprint)(mine), withCertificate(other, b.fingerprint)(yours)].map(wordSeedOf)
  const [first, second] = (await Promise.all(seeds)).map(cut)
  expect(first).toBe(second)

  // With it neither end takes them.
  const [bound, boundToo] = [one.own, other.own]
  one.own = { ...bound, fingerprint: mine }
  other.own = { ...boundToo, fingerprint: yours }
  await expect(opens(fromAlice, a, await seals(fromAlice, e, 'answer', sdpOf(asText(mine))))).rejects.toThrow(forged)
  await expect(opens(toBob, b, await seals(toBob, e, 'offer', sdpOf(asText(yours))))).rejects.toThrow(forged)

  // Nor does a call change its chat.
  const over = expect.objectContaining({ code: 'call_over' })
  await expect(rings({ ...toBob, attempt: 2, callee: a })).rejects.toThrow(over)

  // What she had bound goes through, and then the words differ.
  one.own = bound
  other.own = boundToo
  await opens(fromAlice, a, await seals(fromAlice, e, 'answer', sdpOf(fromAlice.callee.fingerprint)))
  await opens(toBob, b, await seals(toBob, e, 'offer', sdpOf(toBob.caller.fingerprint)))
  expect(await wordsAt(fromAlice, a)).not.toEqual(await wordsAt(toBob, b))
})

test('Eve learns nothing before the answer that lets her choose: neither Alice’s nonce nor her certificate is in what rings', async () => {
  const { a, b } = await callers()
  const call: Call = { callId: crypto.randomUUID(), attempt: 1, caller: a, callee: b }
  const commit = fromBase64(await rings(call))
  const { nonce, fingerprint } = held(a, call).own
  expect(commit).toHaveLength(32)
  expect([nonce, fingerprint].map((secret) => Buffer.from(secret).equals(Buffer.from(commit)))).toEqual([false, false])
  const answer = decodeFields(fromBase64(await answers(call, Buffer.from(commit).toString('base64'))))
  expect(answer.map(({ length }) => length)).toEqual([48, expect.any(Number), 32, 32])
  expect(answer.some((field) => Buffer.from(field).equals(Buffer.from(held(b, call).own.fingerprint)))).toBe(false)
  const again = await connected(a, b)
  expect(await wordsAt(again, a)).toEqual(await wordsAt(again, b))
})
